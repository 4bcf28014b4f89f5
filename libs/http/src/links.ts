import type { FastifyRequest } from 'fastify';

export interface Link {
  rel: string;
  href: string;
  type?: string;
}

/** Scheme, host and port that links carry, e.g. `http://127.0.0.1:8774`; no trailing slash. */
export function originOf(request: FastifyRequest): string {
  return (request.fractusOrigin ??= `http://${hostOf(request)}`);
}

export interface OriginRules {
  /** Links start with this, whatever the client called us by. */
  publicUrl?: string;
  /** Believe X-Forwarded-Proto, -Host and -Prefix: only behind a proxy that sets them itself. */
  trustForwarded?: boolean;
}

const HOST = /^[A-Za-z0-9._~-]+(:\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](:\d{1,5})?$/;

export function originBy(rules: OriginRules): (request: FastifyRequest) => string {
  const { publicUrl, trustForwarded } = rules;
  if (publicUrl !== undefined) {
    const fixed = publicUrl.replace(/\/+$/, '');
    return () => fixed;
  }
  if (!trustForwarded) return (request) => `http://${hostOf(request)}`;
  return (request) => {
    const scheme = forwarded(request, 'x-forwarded-proto');
    const host = forwarded(request, 'x-forwarded-host');
    const prefix = forwarded(request, 'x-forwarded-prefix');
    const path = prefix && /^(\/[A-Za-z0-9._~-]+)+\/?$/.test(prefix) ? prefix.replace(/\/$/, '') : '';
    return `${scheme === 'https' ? 'https' : 'http'}://${host && HOST.test(host) ? host : hostOf(request)}${path}`;
  };
}

/** The first hop's word, where several proxies each added theirs. */
function forwarded(request: FastifyRequest, header: string): string | undefined {
  const value = request.headers[header];
  const text = Array.isArray(value) ? value[0] : value;
  return text?.split(',')[0]?.trim();
}

/** The Host header if it is one; else the address that the connection came to. */
function hostOf(request: FastifyRequest): string {
  const host = request.headers.host;
  if (host !== undefined && HOST.test(host)) return host;
  const { localAddress = '127.0.0.1', localPort } = request.socket;
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort ?? 0}`;
}
