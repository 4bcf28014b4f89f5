import { readFileSync } from 'node:fs';
import type { LooseSchema } from './fuzz';
import { referenceFile } from './nova-contract';

export interface PlacementRoute {
  readonly path: string;
  readonly method: string;
  readonly request: readonly {
    readonly min: string | null;
    readonly max: string | null;
    readonly in: 'body' | 'query' | 'path';
    readonly schema: { readonly $ref: string };
  }[];
}

/** Upstream's routes of Placement with their request schemas; null where the reference data is not at hand. */
export function placementRoutes(): { routes: readonly PlacementRoute[]; schemaOf(ref: string): LooseSchema } | null {
  const file = referenceFile('placement-schemas.json');
  if (!file) return null;
  const { routes, definitions } = JSON.parse(readFileSync(file, 'utf8')) as {
    routes: PlacementRoute[];
    definitions: Record<string, LooseSchema>;
  };
  return { routes, schemaOf: (ref) => definitions[ref.replace('#/definitions/', '')] ?? {} };
}
