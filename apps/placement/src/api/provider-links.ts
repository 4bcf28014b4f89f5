import type { View } from '@fractus/microversions';

/** Providers of older versions do not link to what came later. */
export const withoutLink =
  (rel: string) =>
  (view: View): View => ({ ...view, links: (view['links'] as { rel: string }[]).filter((l) => l.rel !== rel) });
