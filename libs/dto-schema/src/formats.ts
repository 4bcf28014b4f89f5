import { isIPv4, isIPv6 } from 'node:net';
import * as ipaddr from 'ipaddr.js';

/**
 * The string formats of Nova's schemas, as its validators understand them. Each takes a string and says whether it is
 * one. Printable means: neither control, unassigned, private nor separator, of the basic plane, by the Unicode tables
 * of the JavaScript engine (a newer table than Python's accepts a few more characters).
 */
export type FormatCheck = (value: string) => boolean;

const PRINTABLE = '[^\\p{C}\\p{Zl}\\p{Zp}\\u{10000}-\\u{10FFFF}]';
const EDGE = '[\\p{C}\\p{Z}]';
const END = '(?=\\n?$)';

const printable = new RegExp(`^${PRINTABLE}*${END}`, 'u');
const name = new RegExp(`^(?!${EDGE})${PRINTABLE}*(?<!${EDGE})${END}`, 'u');
const spacedName = new RegExp(`^${PRINTABLE}*${END}`, 'u');
const visible = /[^\p{C}\p{Z}]/u;

const isName: FormatCheck = (v) => name.test(v);
const isSpacedName: FormatCheck = (v) => spacedName.test(v) && visible.test(v);
const noColon =
  (check: FormatCheck): FormatCheck =>
  (v) =>
    !v.includes(':') && check(v);

const BASE64_DIGIT = /[A-Za-z0-9+/]/;

/** Python's lax base64: characters outside the alphabet are skipped, the first full padding ends the text. */
function isBase64(value: string): boolean {
  let position = 0;
  let pads = 0;
  for (const c of value) {
    if (c === '=') {
      if (position >= 2 && position + ++pads >= 4) return true;
    } else if (BASE64_DIGIT.test(c)) {
      pads = 0;
      position = (position + 1) % 4;
    }
  }
  return position === 0;
}

/** 32 hex digits once `urn:`, `uuid:`, braces and hyphens are dropped, however the hyphens stand. */
const isUuidLike: FormatCheck = (v) =>
  v.length < 100 &&
  /^[0-9a-f]{32}$/.test(
    v
      .toLowerCase()
      .replace(/urn:|uuid:/g, '')
      .replace(/^[{}]+|[{}]+$/g, '')
      .replace(/-/g, ''),
  );

function isCidr(value: string): boolean {
  const m = /^([^/\s]+)\/([^/\s]+)$/.exec(value);
  if (!m?.[1] || !m[2]) return false;
  const [, address, prefix] = m;
  if (isIPv4(address)) {
    if (/^\d{1,2}$/.test(prefix)) return Number(prefix) <= 32;
    return isIPv4(prefix) && ipaddr.IPv4.parse(prefix).prefixLengthFromSubnetMask() !== null;
  }
  return isIPv6(address) && !address.includes('%') && /^\d{1,3}$/.test(prefix) && Number(prefix) <= 128;
}

const INSTANT =
  /^(\d{4})(?:(?:-(\d{1,2})|(\d{2})(?!\n?$))(?:(?:-(\d{1,2})|(\d{2}))(?:[ T](\d{2})(?::?(\d{2}))?(?::?(\d{1,2})(?:[.,]\d+)?)?(?:Z|[-+](\d{2}):?(\d{2})?)?)?)?)?(?=\n?$)/;

/** Milliseconds since the epoch of an ISO 8601 time as Nova's clients write it, or null. Without a zone it is UTC. */
export function parseInstant(value: string): number | null {
  const m = INSTANT.exec(value);
  if (!m) return null;
  const part = (i: number, otherwise: number): number => (m[i] === undefined ? otherwise : Number(m[i]));
  const [year, month, day] = [part(1, 0), part(2, part(3, 1)), part(4, part(5, 1))];
  const [hour, minute, second] = [part(6, 0), part(7, 0), part(8, 0)];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const real = year >= 1 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!real || hour > 23 || minute > 59 || second > 59) return null;
  const fraction = /[.,](\d+)/.exec(value);
  const ms = fraction ? Math.trunc(Number(`0.${fraction[1]}`) * 1000) : 0;
  const zone = /([-+])(\d{2}):?(\d{2})?\n?$/.exec(m[6] === undefined ? '' : value.slice(11));
  const offset = zone ? (zone[1] === '-' ? -1 : 1) * (Number(zone[2]) * 60 + Number(zone[3] ?? 0)) : 0;
  if (Math.abs(offset) >= 24 * 60) return null;
  return date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000 + ms;
}

function isRegex(value: string): boolean {
  if (value === '') return false;
  try {
    new RegExp(value.replace(/\(\?P</g, '(?<').replace(/\(\?P=(\w+)\)/g, '\\k<$1>'));
    return true;
  } catch {
    return false;
  }
}

const URI =
  /^[a-z][a-z0-9+.-]*:\/\/(?:[\w.~!$&'()*+,;=:%-]*@)?(?:\[[0-9a-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?(?:[/][^\s?#<>"{}|\\^`[\]]*)?(?:\?[^\s#<>"{}|\\^`]*)?(?:#[^\s<>"{}|\\^`#]*)?$/i;

export interface Format {
  readonly check: FormatCheck;
  /** What a value must be, for a message. */
  readonly reason: string;
}

export const FORMATS = {
  name: { check: isName, reason: 'printable characters. Can not start or end with whitespace.' },
  name_with_leading_trailing_spaces: {
    check: isSpacedName,
    reason: 'printable characters with at least one non space character',
  },
  az_name: { check: noColon(isName), reason: 'printable characters except :.Can not start or end with whitespace.' },
  az_name_with_leading_trailing_spaces: {
    check: noColon(isSpacedName),
    reason: 'printable characters except :, with at least one non space character',
  },
  printable: { check: (v) => printable.test(v), reason: 'printable characters' },
  base64: { check: isBase64, reason: 'base64' },
  uuid: { check: isUuidLike, reason: 'a UUID' },
  ipv4: { check: (v) => isIPv4(v), reason: 'an IPv4 address' },
  ipv6: { check: (v) => isIPv6(v) && !v.includes('%'), reason: 'an IPv6 address without a zone' },
  cidr: { check: isCidr, reason: 'a network written as address/prefix' },
  'date-time': { check: (v) => parseInstant(v) !== null, reason: 'an ISO 8601 time' },
  regex: { check: isRegex, reason: 'a regular expression' },
  uri: { check: (v) => URI.test(v), reason: 'a URI with scheme and host' },
} as const satisfies Record<string, Format>;

export type FormatName = keyof typeof FORMATS;
