import { createHash, generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import sshpk from 'sshpk';
import { invalid } from '@fractus/objects';

/** MD5 of the key's bytes, as `ssh-keygen -l -E md5` prints it. `invalid` for a text that is no public key. */
export function sshFingerprint(publicKey: string): string {
  const [type, base64] = publicKey.trim().split(/\s+/);
  const blob = base64 === undefined ? undefined : bytesOf(base64);
  if (type === undefined || !blob || !isPublicKey(type, blob, publicKey)) {
    throw invalid('Keypair data is invalid: failed to generate fingerprint', { code: 'keypair.data' });
  }
  return createHash('md5')
    .update(blob)
    .digest('hex')
    .replace(/..(?=.)/g, '$&:');
}

function bytesOf(base64: string): Buffer | undefined {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(base64) && base64.length % 4 === 0 ? Buffer.from(base64, 'base64') : undefined;
}

/** Keys on a security token, which the parser does not know; their bytes are checked for shape only. */
const TOKEN_TYPES = ['sk-ssh-ed25519@openssh.com', 'sk-ecdsa-sha2-nistp256@openssh.com'];

function isPublicKey(type: string, blob: Buffer, text: string): boolean {
  const length = blob.length >= 4 ? blob.readUInt32BE(0) : 0;
  if (blob.subarray(4, 4 + length).toString('latin1') !== type) return false;
  if (TOKEN_TYPES.includes(type)) return blob.length > 4 + length + 4;
  try {
    sshpk.parseKey(text.trim(), 'ssh');
    return true;
  } catch {
    return false;
  }
}

/** A new RSA key of 2048 bits: the private half as PEM (PKCS #1), the public one as a line of `authorized_keys`. */
export async function generateSshKey(): Promise<{ publicKey: string; privateKey: string }> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  const key = sshpk.parsePrivateKey(pem, 'pem').toPublic();
  key.comment = 'Generated-by-Fractus';
  return { publicKey: key.toString('ssh'), privateKey: pem };
}
