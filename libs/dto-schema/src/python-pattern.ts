/**
 * A pattern that upstream writes for Python's `re.search`, as an ECMAScript pattern with the same meaning: Python's
 * `$` also matches before a last newline. Written once, at declaration, so that every reader of the schema sees plain
 * ECMAScript. Only syntax that means the same in both is expected beside `$`.
 */
export function pythonPattern(source: string): string {
  let out = '';
  let inClass = false;
  for (let i = 0; i < source.length; i++) {
    const c = source.charAt(i);
    if (c === '\\') {
      out += c + source.charAt(++i);
      continue;
    }
    if (c === '[') inClass = true;
    else if (c === ']') inClass = false;
    out += c === '$' && !inClass ? '(?=\\n?$)' : c;
  }
  return out;
}
