import { SocketAddress } from 'node:net';

/** An address as upstream shows it, however it was written: `2001:DB8:0:0::1` is `2001:db8::1` (RFC 5952). */
export function canonicalAddress(text: string): string {
  return text.includes(':') ? new SocketAddress({ address: text, family: 'ipv6' }).address : text;
}
