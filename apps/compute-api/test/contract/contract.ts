import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import type { ValidateFunction } from 'ajv/dist/2020';
import { FORMATS, compareVersions, pythonPattern } from '@fractus/dto-schema';
import type { JsonSchema, Version } from '@fractus/dto-schema';

/**
 * The Compute API as upstream states it: a file that lives beside the repository where it is available
 * (`FRACTUS_SHARED`, else `../shared`). Without it the tests that need it say so in a word and pass.
 */
interface Slot {
  readonly min: Version | null;
  readonly max: Version | null;
  readonly schema: { readonly $ref: string };
}

export interface ContractOperation {
  readonly path: string;
  readonly method: string;
  readonly action: string | null;
  readonly min: Version | null;
  readonly max: Version | null;
  readonly removed: unknown;
  readonly success: readonly { readonly code: number; readonly min: Version | null; readonly max: Version | null }[];
  readonly success_note?: string;
  readonly request_body: readonly Slot[];
  readonly request_query: readonly Slot[];
  readonly response_body: readonly Slot[];
}

interface ContractFile {
  readonly format_regexes: Readonly<Record<string, string>>;
  readonly fault_names: Readonly<Record<string, string>>;
  readonly operations: readonly ContractOperation[];
  readonly definitions: Readonly<Record<string, JsonSchema>>;
}

export const NEWEST = '2.104';

const shared = process.env.FRACTUS_SHARED ?? resolve(__dirname, '../../../../../shared');
const file = join(shared, 'reference/nova-api-contract.json');

export const contractExists = existsSync(file);

let loaded: ContractFile | undefined;
export const contract = (): ContractFile => (loaded ??= JSON.parse(readFileSync(file, 'utf8')) as ContractFile);

/** Declares tests that need the contract, or one that is skipped and says why, so that a run counts it as skipped. */
export function withContract(name: string, declare: () => void): void {
  if (contractExists) return describe(name, declare);
  console.log(`${name}: skipped, nova-api-contract.json is not at hand (FRACTUS_SHARED names its folder)`);
  describe(name, () => it.skip('nova-api-contract.json is not at hand', () => undefined));
}

/** By our operation's name: `GET /flavors/{flavor_id}`, `POST /servers/{id}/action reboot`. Names of path parameters do not count. */
export function findOperation(name: string): ContractOperation | undefined {
  const bare = (path: string): string => path.replace(/\{[^}]*\}/g, '{}');
  const [method, path = '', action = null] = name.split(' ');
  return contract().operations.find((o) => o.method === method && bare(o.path) === bare(path) && o.action === action);
}

export const slotHolds = ({ min, max }: { min: Version | null; max: Version | null }, version: Version): boolean =>
  (min === null || compareVersions(version, min) >= 0) && (max === null || compareVersions(version, max) <= 0);

export const schemaOf = (slot: Slot): JsonSchema => {
  const name = slot.schema.$ref.replace('#/definitions/', '');
  const schema = contract().definitions[name];
  if (!schema) throw new Error(`the contract has no definition ${name}`);
  return schema;
};

/** Upstream's schema as plain ECMAScript JSON Schema: Python patterns, and bounds that also hold for numeric texts. */
function translate(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(translate);
  if (typeof node !== 'object' || node === null) return node;
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) {
    if (key === 'pattern') out[key] = pythonPattern(value as string);
    else if (key === 'patternProperties')
      out[key] = Object.fromEntries(Object.entries(value as object).map(([p, s]) => [pythonPattern(p), translate(s)]));
    else out[key] = key === 'enum' || key === 'const' ? value : translate(value);
  }
  for (const bound of ['minimum', 'maximum']) if (typeof out[bound] === 'number') out[`text-${bound}`] = out[bound];
  return out;
}

function createOracle(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, unicodeRegExp: false, ownProperties: true, logger: false });
  for (const [name, { check }] of Object.entries(FORMATS)) ajv.addFormat(name, { type: 'string', validate: check });
  for (const [name, source] of Object.entries(contract().format_regexes))
    ajv.addFormat(name, new RegExp(pythonPattern(source)));
  const asNumber = (text: string): number => (text.trim() === '' ? NaN : Number(text));
  ajv.addKeyword({
    keyword: 'text-minimum',
    type: 'string',
    validate: (min: number, text: string) => !(asNumber(text) < min),
  });
  ajv.addKeyword({
    keyword: 'text-maximum',
    type: 'string',
    validate: (max: number, text: string) => !(asNumber(text) > max),
  });
  return ajv;
}

let oracle: Ajv2020 | undefined;
const compiled = new Map<JsonSchema, ValidateFunction>();

/** Upstream's validator of a schema of the contract. */
export function upstreamValidator(schema: JsonSchema): ValidateFunction {
  const known = compiled.get(schema);
  if (known) return known;
  oracle ??= createOracle();
  const validate = oracle.compile(translate(schema) as JsonSchema);
  compiled.set(schema, validate);
  return validate;
}

/** Operations that upstream has not: it says nothing of their answers. */
export const OURS_ALONE: ReadonlySet<string> = new Set([
  'GET /servers/{server_id}/capabilities',
  'GET /os-hypervisors/capabilities',
  'GET /os-hypervisors/{id}/capabilities',
  'GET /servers/{server_id}/os-schedule-info',
  'POST /os-schedule-dry-run',
]);

/** Why an answer breaks upstream's response schema, or null. Operations and versions without a schema pass. */
export function responseFault(operation: string, version: Version, body: unknown): string | null {
  if (OURS_ALONE.has(operation)) return null;
  const found = findOperation(operation);
  if (!found) return `${operation} is not an operation of the contract`;
  const slot = found.response_body.find((s) => slotHolds(s, version));
  if (!slot) return null;
  const validate = upstreamValidator(schemaOf(slot));
  if (validate(body === undefined ? null : body)) return null;
  const [e] = validate.errors ?? [];
  return `${operation} ${version}: ${e?.instancePath ?? ''} ${e?.message ?? ''} ${JSON.stringify(e?.params)}`;
}
