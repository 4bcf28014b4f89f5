import fc from 'fast-check';
import { classValidatorFaults, compareVersions, compileDto } from '@fractus/dto-schema';
import type { DtoClass, JsonSchema, Version } from '@fractus/dto-schema';
import { NEWEST, findOperation, schemaOf, upstreamValidator } from './contract';
import { arbitraryOf, variations } from './schema-arbitrary';

export interface ConformanceOptions {
  /** A body that every version accepts; single changes are made to it. A function gives one for each version. */
  readonly base: unknown;
  readonly runs?: number;
}

interface Case {
  readonly version: Version;
  readonly schema: JsonSchema;
}

/** Each schema of the contract at both ends of its span of versions. */
function casesOf(name: string, part: 'request_body' | 'request_query'): Case[] {
  const operation = findOperation(name);
  if (!operation) throw new Error(`${name} is not an operation of the contract`);
  const cases: Case[] = [];
  for (const slot of operation[part]) {
    const versions = new Set([slot.min ?? '2.1', slot.max ?? NEWEST]);
    for (const version of versions) {
      const exists = operation.max === null || compareVersions(version, operation.max) <= 0;
      if (exists) cases.push({ version, schema: schemaOf(slot) });
    }
  }
  return cases;
}

function verdicts(
  cls: DtoClass,
  { version, schema }: Case,
  body: unknown,
): { ours: boolean; upstream: boolean; why: string } {
  const broken = compileDto(cls, { version }).check(body);
  const validate = upstreamValidator(schema);
  const upstream = validate(body);
  const why = upstream
    ? 'accepted'
    : `${validate.errors?.[0]?.instancePath ?? ''} ${validate.errors?.[0]?.message ?? ''}`;
  return { ours: broken === null, upstream, why: `ours: ${broken?.message ?? 'accepted'} / upstream: ${why}` };
}

/** Tests that a DTO accepts exactly what the contract accepts, in every version, and that class-validator agrees. */
export function describeConformance(
  name: string,
  cls: DtoClass,
  part: 'request_body' | 'request_query',
  { base, runs = 150 }: ConformanceOptions,
): void {
  const baseOf = (version: Version): unknown =>
    typeof base === 'function' ? (base as (version: Version) => unknown)(version) : base;
  describe(`${name} ${part}`, () => {
    const cases = casesOf(name, part).map((c): [Version, Case] => [c.version, c]);

    it.each(cases)('accepts and refuses as upstream does in %s: one change at a time', (_, c) => {
      const differences: string[] = [];
      for (const body of [baseOf(c.version), ...variations(c.schema, baseOf(c.version))]) {
        const { ours, upstream, why } = verdicts(cls, c, body);
        if (ours !== upstream) differences.push(`${JSON.stringify(body).slice(0, 300)}: ${why}`);
      }
      expect(differences.slice(0, 10)).toEqual([]);
      expect(verdicts(cls, c, baseOf(c.version))).toMatchObject({ ours: true });
    });

    it.each(cases)('accepts and refuses as upstream does in %s: bodies at random', (_, c) => {
      let accepted = 0;
      const property = fc.property(arbitraryOf(c.schema), (body) => {
        const { ours, upstream, why } = verdicts(cls, c, body);
        if (ours) accepted++;
        if (ours !== upstream) throw new Error(why);
        const faults = classValidatorFaults(cls, body, c.version);
        if ((faults.length === 0) !== ours)
          throw new Error(`class-validator: ${faults.join(' | ') || 'accepts'}; ${why}`);
      });
      fc.assert(property, { numRuns: runs });
      // a generator that never hits a good body would prove nothing
      expect(accepted).toBeGreaterThan(runs / 20);
    });
  });
}
