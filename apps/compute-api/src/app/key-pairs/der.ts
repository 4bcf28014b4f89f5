/** The few forms of DER (X.690) that a certificate and a PKCS #12 file need. */
export function tlv(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

function lengthOf(n: number): Buffer {
  if (n < 0x80) return Buffer.from([n]);
  const hex = n.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}

export const sequence = (...contents: readonly Buffer[]): Buffer => tlv(0x30, ...contents);
export const set = (...contents: readonly Buffer[]): Buffer => tlv(0x31, ...contents);
export const octets = (...contents: readonly Buffer[]): Buffer => tlv(0x04, ...contents);
export const bits = (content: Buffer): Buffer => tlv(0x03, Buffer.from([0]), content);
export const utf8 = (text: string): Buffer => tlv(0x0c, Buffer.from(text, 'utf8'));
export const nothing = (): Buffer => tlv(0x05);
/** `[n]` with the contents inside. */
export const tagged = (n: number, ...contents: readonly Buffer[]): Buffer => tlv(0xa0 | n, ...contents);

/** A non-negative integer. */
export function integer(value: number | Buffer): Buffer {
  const hex = typeof value === 'number' ? value.toString(16) : value.toString('hex');
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return tlv(0x02, (bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const n of rest) {
    const groups = [n & 0x7f];
    for (let m = Math.floor(n / 128); m > 0; m = Math.floor(m / 128)) groups.unshift((m & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return tlv(0x06, Buffer.from(bytes));
}

/** GeneralizedTime, to the second. */
export const time = (ms: number): Buffer =>
  tlv(0x18, Buffer.from(`${new Date(ms).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`, 'latin1'));
