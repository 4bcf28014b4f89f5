/**
 * Columns in JSON whose text many rows have in common (a flavor, an image, no tags) are parsed once. What comes of it is
 * shared by all who read it, and so frozen through and through.
 */
const MOST_TEXTS = 2_000;
/** Longer ones are hardly ever the same. */
const LONGEST = 2_048;
const known = new Map<string, unknown>();

export function parseShared(text: string): unknown {
  if (text.length > LONGEST) return JSON.parse(text);
  const found = known.get(text);
  if (found !== undefined) return found;
  const parsed: unknown = JSON.parse(text);
  if (known.size >= MOST_TEXTS) known.clear();
  known.set(text, freeze(parsed));
  return parsed;
}

function freeze(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    for (const inner of Object.values(value)) freeze(inner);
  }
  return value;
}
