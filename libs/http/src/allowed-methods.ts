import type { FastifyInstance } from 'fastify';

/** Knows, for a path that matched no route, which other methods it has. Filled as routes are registered. */
export class AllowedMethods {
  private readonly patterns: { pattern: RegExp; methods: Set<string> }[] = [];
  private readonly byUrl = new Map<string, Set<string>>();

  constructor(private readonly ignoreTrailingSlash: boolean) {}

  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', (route) => {
      for (const method of [route.method].flat()) this.add(route.url, method);
    });
  }

  /** Methods of a path, sorted; empty where the path is unknown altogether. */
  of(path: string): string[] {
    const found = new Set<string>();
    for (const { pattern, methods } of this.patterns) if (pattern.test(path)) for (const m of methods) found.add(m);
    return [...found].sort();
  }

  private add(url: string, method: string): void {
    // HEAD comes with every GET by itself and says nothing about the API
    if (method === 'HEAD') return;
    const known = this.byUrl.get(url);
    if (known) return void known.add(method);
    const methods = new Set([method]);
    this.byUrl.set(url, methods);
    this.patterns.push({ pattern: toRegExp(url, this.ignoreTrailingSlash), methods });
  }
}

function toRegExp(url: string, ignoreTrailingSlash: boolean): RegExp {
  const parts = url.split('/').map((part) => {
    if (part === '*') return '.*';
    // :name, :name(regex) and text around them
    return part
      .split(/(:[A-Za-z0-9_-]+(?:\((?:[^()\\]|\\.)*\))?)/)
      .map((piece) =>
        piece.startsWith(':')
          ? `(?:${/\((.*)\)$/.exec(piece)?.[1] ?? '[^/]+'})`
          : piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
      )
      .join('');
  });
  return new RegExp(`^${parts.join('/')}${ignoreTrailingSlash ? '/?' : ''}$`);
}
