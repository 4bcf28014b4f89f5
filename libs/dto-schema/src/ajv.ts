import Ajv2020 from 'ajv/dist/2020';
import type { ValidateFunction } from 'ajv/dist/2020';
import { FORMATS } from './formats';
import type { JsonSchema } from './json-schema';
import { runClassValidator } from './class-validator-rules';

/** Bounds of a number that came as text. Text that is no number is another rule's business, as upstream has it. */
export interface NumericBounds {
  readonly minimum?: number;
  readonly maximum?: number;
}

export function withinBounds(text: string, { minimum, maximum }: NumericBounds): boolean {
  const n = text.trim() === '' ? NaN : Number(text);
  if (Number.isNaN(n)) return true;
  return (minimum === undefined || n >= minimum) && (maximum === undefined || n <= maximum);
}

/** Removes members that a schema does not name: what the legacy endpoint does instead of refusing them. */
function dropUnknown(known: readonly string[], data: Record<string, unknown>): boolean {
  const extra = Object.keys(data).filter((k) => !known.includes(k));
  // an object of which nothing is known stays as it is, so that another branch of a oneOf may take it (upstream)
  if (extra.length < Object.keys(data).length) for (const k of extra) delete data[k];
  return true;
}

function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: false,
    verbose: true,
    ownProperties: true,
    validateFormats: true,
    // patterns come from declarations and from Python; two of upstream's need the lenient syntax
    unicodeRegExp: false,
    logger: false,
  });
  for (const [name, format] of Object.entries(FORMATS)) ajv.addFormat(name, { type: 'string', validate: format.check });
  ajv.addKeyword({
    keyword: 'x-numeric-string',
    type: 'string',
    schemaType: 'object',
    validate: (bounds: NumericBounds, text: string) => withinBounds(text, bounds),
  });
  ajv.addKeyword({
    keyword: 'x-class-validator',
    schemaType: 'string',
    validate: (name: string, value: unknown, _schema?: unknown, at?: { parentData?: unknown }) =>
      runClassValidator(name, value, (at?.parentData ?? {}) as object),
  });
  ajv.addKeyword({
    keyword: 'x-drop-unknown',
    type: 'object',
    schemaType: 'array',
    modifying: true,
    before: 'properties',
    validate: dropUnknown,
  });
  return ajv;
}

let shared: Ajv2020 | undefined;

/** Compiles a schema with this library's formats and keywords. */
export function compileSchema(schema: JsonSchema): ValidateFunction {
  shared ??= createAjv();
  return shared.compile(schema);
}
