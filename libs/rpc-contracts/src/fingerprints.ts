/** What a process's code says and understands over RPC, in a form that two releases can compare. */
import { createHash } from 'node:crypto';
import { jsonSchemaOf, type JsonSchema } from '@fractus/dto-schema';
import { computeContract } from './compute.contract';
import { conductorContract } from './conductor.contract';
import type { Contract, MethodSpec } from './contract';
import { placementContract } from './placement.contract';
import { schedulerContract, schedulerNews } from './scheduler.contract';

/** Every contract of this release. */
export const CONTRACTS: readonly Contract[] = [
  computeContract,
  conductorContract,
  placementContract,
  schedulerContract,
  schedulerNews,
];

let own: Readonly<Record<string, string>> | undefined;

/**
 * `topic.method` → 16 hex digits, alike in two processes when the method is. Processes tell it at their admin
 * listeners, so that an upgrade can see who runs what.
 */
export function contractFingerprints(): Readonly<Record<string, string>> {
  return (own ??= Object.fromEntries(
    Object.entries(fingerprintsOf(CONTRACTS)).map(([method, { fingerprint }]) => [method, fingerprint]),
  ));
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Everything of a method that another process can notice. */
export interface Shape {
  readonly kind: string;
  readonly routing: string;
  readonly timeoutMs?: number;
  readonly request: JsonSchema;
  readonly response?: JsonSchema;
}

export interface Fingerprint {
  readonly fingerprint: string;
  readonly shape: Shape;
}

export function fingerprintsOf(contracts: readonly Contract[]): Record<string, Fingerprint> {
  const entries = contracts.flatMap((contract) =>
    Object.entries(contract.methods).map(([name, spec]) => {
      const shape = canonical(shapeOf(contract, spec)) as Shape;
      const fingerprint = digest(JSON.stringify(shape));
      return [`${contract.topic}.${name}`, { fingerprint, shape }] as const;
    }),
  );
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function shapeOf({ routing }: Contract, spec: MethodSpec): Shape {
  const request = jsonSchemaOf(spec.request);
  if (spec.kind !== 'call') return { kind: spec.kind, routing, request };
  return { kind: 'call', routing, timeoutMs: spec.timeoutMs, request, response: jsonSchemaOf(spec.response) };
}

/** What numbers a rule that no schema can say: the order in which a process happens to meet them. */
const RULE_NUMBER = /#\d+$/;

/** The same in one order: how a class lists its members, and how rules are numbered, is nobody's business. */
function canonical(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((v) => canonical(v));
    return key === 'required' || key === 'enum' || key === 'type' ? items.sort() : items;
  }
  if (key === 'x-class-validator' && typeof value === 'string') return value.replace(RULE_NUMBER, '');
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([k, v]) => [k, canonical(v, k)]),
  );
}
