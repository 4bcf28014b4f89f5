import {
  createHash,
  createHmac,
  createSign,
  generateKeyPair,
  randomBytes,
  X509Certificate,
  type KeyObject,
} from 'node:crypto';
import { promisify } from 'node:util';
import { invalid } from '@fractus/objects';
import { bits, integer, nothing, octets, oid, sequence, set, tagged, time, utf8 } from './der';

/** SHA-1 of a certificate in PEM, in lower-case pairs. `invalid` for a text that is none. */
export function certificateFingerprint(pem: string): string {
  try {
    return new X509Certificate(pem).fingerprint.toLowerCase();
  } catch (cause) {
    throw invalid('Keypair data is invalid: failed to generate X509 fingerprint', { code: 'keypair.data', cause });
  }
}

const TEN_YEARS = 3650 * 24 * 3_600_000;
const RSA_SHA256 = (): Buffer => sequence(oid('1.2.840.113549.1.1.11'), nothing());

/**
 * A self-signed certificate for a Windows guest to know its user by (WinRM): client authentication, and the user's
 * principal name as an alternative name. The private half is a PKCS #12 file without password, in base64.
 */
export async function generateCertificate(
  userId: string,
  now: number,
): Promise<{ publicKey: string; privateKey: string }> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const name = sequence(set(sequence(oid('2.5.4.3'), utf8(userId.slice(0, 64)))));
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const body = sequence(
    tagged(0, integer(2)),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    RSA_SHA256(),
    name,
    sequence(time(now - 3_600_000), time(now + TEN_YEARS)),
    name,
    spki,
    tagged(3, sequence(clientAuthentication(), principalName(`${userId}@localhost`))),
  );
  const signature = createSign('sha256').update(body).sign(privateKey);
  const certificate = sequence(body, RSA_SHA256(), bits(signature));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  const pem = `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
  return { publicKey: pem, privateKey: pkcs12(certificate, privateKey).toString('base64') };
}

const clientAuthentication = (): Buffer => sequence(oid('2.5.29.37'), octets(sequence(oid('1.3.6.1.5.5.7.3.2'))));

/** Microsoft's user principal name as an otherName. */
const principalName = (upn: string): Buffer =>
  sequence(oid('2.5.29.17'), octets(sequence(tagged(0, oid('1.3.6.1.4.1.311.20.2.3'), tagged(0, utf8(upn))))));

const DATA = '1.2.840.113549.1.7.1';
const data = (content: Buffer): Buffer => sequence(oid(DATA), tagged(0, octets(content)));

/** RFC 7292 with both bags in the clear, as an empty password hides nothing; the MAC is what readers insist on. */
function pkcs12(certificate: Buffer, key: KeyObject): Buffer {
  const localKeyId = set(
    sequence(oid('1.2.840.113549.1.9.21'), set(octets(createHash('sha1').update(certificate).digest()))),
  );
  const keyBag = sequence(
    oid('1.2.840.113549.1.12.10.1.1'),
    tagged(0, key.export({ type: 'pkcs8', format: 'der' })),
    localKeyId,
  );
  const certBag = sequence(
    oid('1.2.840.113549.1.12.10.1.3'),
    tagged(0, sequence(oid('1.2.840.113549.1.9.22.1'), tagged(0, octets(certificate)))),
    localKeyId,
  );
  const safe = sequence(data(sequence(keyBag)), data(sequence(certBag)));
  const salt = randomBytes(8);
  const rounds = 2048;
  const mac = createHmac('sha256', macKey(salt, rounds)).update(safe).digest();
  const digest = sequence(sequence(oid('2.16.840.1.101.3.4.2.1'), nothing()), octets(mac));
  return sequence(integer(3), data(safe), sequence(digest, octets(salt), integer(rounds)));
}

/** RFC 7292 appendix B.2 for one block of SHA-256, purpose 3 (MAC), the empty password being one UTF-16 zero. */
function macKey(salt: Buffer, rounds: number): Buffer {
  const fill = (source: Buffer): Buffer => Buffer.alloc(64, source);
  let a = Buffer.concat([Buffer.alloc(64, 3), fill(salt), fill(Buffer.from([0, 0]))]);
  for (let i = 0; i < rounds; i++) a = createHash('sha256').update(a).digest();
  return a;
}
