import { optionsOf, type Constructor } from './option';

export const HIDDEN = '***';

/** A plain copy of a config with every secret hidden: what may be printed or logged. */
export function printableConfig<T extends object>(type: Constructor<T>, config: T): Record<string, unknown> {
  const copy = JSON.parse(JSON.stringify(config)) as Record<string, unknown>;
  for (const { path, spec } of optionsOf(type)) {
    if (!spec.secret) continue;
    let at: Record<string, unknown> | undefined = copy;
    for (const key of path.slice(0, -1)) at = at?.[key] as Record<string, unknown> | undefined;
    const last = path[path.length - 1] as string;
    if (at && at[last] !== undefined && at[last] !== null) at[last] = HIDDEN;
  }
  return copy;
}
