/**
 * Upstream's statement of the compute API (every operation, its schemas by microversion), as an oracle for tests. It
 * is reference data outside the repository: `FRACTUS_SHARED` names its folder, else `shared/` beside the checkout is
 * looked at. Where it is absent the checks say so once and pass nothing off as checked.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';

interface Ranged {
  min: string | null;
  max: string | null;
}
interface SchemaSlot extends Ranged {
  schema: { $ref: string } | Record<string, unknown>;
}
export interface ContractOperation extends Ranged {
  path: string;
  method: string;
  action: string | null;
  removed: unknown;
  success: (Ranged & { code: number })[];
  errors: (Ranged & { codes: number[] })[];
  policies?: string[];
  request_body: SchemaSlot[];
  request_query: SchemaSlot[];
  response_body: SchemaSlot[];
}
interface ContractFile {
  operations: ContractOperation[];
  definitions: Record<string, Record<string, unknown>>;
  fault_names: Record<string, string>;
}

const minor = (version: string): number => Number(version.split('.')[1]);
/** Whether a range holds version `2.<n>`; null ends are open. */
export const inRange = (range: Ranged, version: string): boolean =>
  (range.min === null || minor(range.min) <= minor(version) || range.min.startsWith('2.0')) &&
  (range.max === null || minor(version) <= minor(range.max));

/** Where the reference data is, or null. */
export const referenceFile = (name: string): string | null => sharedFile(join('reference', name));

/** Where something beside the reference data is (`conformance/…`), or null. */
export function sharedFile(path: string): string | null {
  const named = process.env['FRACTUS_SHARED'];
  for (let dir = resolve(__dirname); ; dir = dirname(dir)) {
    const roots = [...(named ? [named] : []), join(dir, 'shared')];
    const found = roots.map((r) => join(r, path)).find((f) => existsSync(f));
    if (found) return found;
    if (dirname(dir) === dir) return null;
  }
}

/** Paths of ours that upstream's patterns would take for theirs. */
const OURS_ALONE: ReadonlySet<string> = new Set(['/os-hypervisors/capabilities']);

let loaded: { contract: NovaContract | null } | undefined;

export class NovaContract {
  private readonly ajv: Ajv2020;
  private readonly compiled = new Map<unknown, ValidateFunction>();

  constructor(private readonly file: ContractFile) {
    this.ajv = new Ajv2020({ strict: false, allErrors: true, unicodeRegExp: false, validateFormats: true });
    addFormats(this.ajv, ['date-time', 'ipv4', 'ipv6', 'uri', 'uuid', 'regex']);
    for (const name of [
      'mac-address',
      'string',
      'url',
      'name',
      'name_with_leading_trailing_spaces',
      'az_name',
      'az_name_with_leading_trailing_spaces',
      'base64',
      'cidr',
    ])
      this.ajv.addFormat(name, true);
    // nova prints instants without a zone in places; its own checker takes them
    this.ajv.addFormat('date-time', (text: string) => !Number.isNaN(Date.parse(text)));
  }

  /** The contract, read once; null where it is not at hand. */
  static load(): NovaContract | null {
    return (loaded ??= { contract: NovaContract.read() }).contract;
  }

  private static read(): NovaContract | null {
    const file = referenceFile('nova-api-contract.json');
    if (!file) console.log('answers are not checked against the contract: nova-api-contract.json is not at hand');
    return file ? new NovaContract(JSON.parse(readFileSync(file, 'utf8')) as ContractFile) : null;
  }

  get operations(): readonly ContractOperation[] {
    return this.file.operations;
  }

  /** The operation that a path (below /v2.1, project id cut off) and method mean; `action` is the body's one key. */
  find(method: string, path: string, action?: string): ContractOperation | undefined {
    const parts = path.split('?')[0]?.replace(/\/+$/, '').split('/') ?? [];
    if (OURS_ALONE.has(parts.join('/'))) return undefined;
    const fits = (pattern: string): boolean => {
      const wanted = pattern.split('/');
      return wanted.length === parts.length && wanted.every((w, i) => w.startsWith('{') || w === parts[i]);
    };
    const known = this.file.operations.filter(
      (o) => o.method === method && fits(o.path) && (o.action === null || o.action === action),
    );
    return known.sort((a, b) => (a.path.match(/\{/g)?.length ?? 0) - (b.path.match(/\{/g)?.length ?? 0))[0];
  }

  /** What is wrong with a successful answer; empty when it is as the contract says. */
  faultsOfResponse(operation: ContractOperation, version: string, status: number, body: unknown): string[] {
    const codes = operation.success.filter((s) => inRange(s, version)).map((s) => s.code);
    if (!codes.includes(status)) return [`status ${status}, contract says ${codes.join(' or ')}`];
    const slot = operation.response_body.find((s) => inRange(s, version));
    if (!slot) return [];
    const validate = this.validator(slot);
    if (validate(body ?? null)) return [];
    return (validate.errors ?? []).map(
      (e) => `${e.instancePath || '/'} ${e.message ?? ''} ${JSON.stringify(e.params)}`,
    );
  }

  /** The request schema of an operation at a version; undefined where the contract has none. */
  requestSchema(operation: ContractOperation, version: string): Record<string, unknown> | undefined {
    const slot = operation.request_body.find((s) => inRange(s, version));
    return slot ? this.schemaOf(slot) : undefined;
  }

  querySchema(operation: ContractOperation, version: string): Record<string, unknown> | undefined {
    const slot = operation.request_query.find((s) => inRange(s, version));
    return slot ? this.schemaOf(slot) : undefined;
  }

  private schemaOf(slot: SchemaSlot): Record<string, unknown> {
    const ref = (slot.schema as { $ref?: string }).$ref;
    if (ref === undefined) return slot.schema as Record<string, unknown>;
    const name = ref.replace('#/definitions/', '');
    const schema = this.file.definitions[name];
    if (!schema) throw new Error(`the contract has no definition ${name}`);
    return schema;
  }

  private validator(slot: SchemaSlot): ValidateFunction {
    const schema = this.schemaOf(slot);
    let validate = this.compiled.get(schema);
    if (!validate) this.compiled.set(schema, (validate = this.ajv.compile(schema)));
    return validate;
  }
}
