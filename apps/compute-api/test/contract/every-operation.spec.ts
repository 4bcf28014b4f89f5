import fc from 'fast-check';
import { compareVersions, compileDto, type DtoClass, type JsonSchema } from '@fractus/dto-schema';
import { operationsOf, type Operation } from '@fractus/microversions';
import { controllersOfApi } from '../../src/app.module';
import { NEWEST, findOperation, schemaOf, upstreamValidator, withContract } from './contract';
import { arbitraryOf } from './schema-arbitrary';

/** Parts of requests that upstream has a schema for, in one version each. */
function slots(
  operation: Operation,
  part: 'request_body' | 'request_query',
): { version: string; schema: JsonSchema }[] {
  const found = findOperation(operation.name);
  return (found?.[part] ?? [])
    .map((s) => ({ version: s.max ?? NEWEST, schema: schemaOf(s) }))
    .filter(({ version }) => compareVersions(version, '2.1') >= 0 && operation.exists(version));
}

withContract('every operation, by enumeration', () => {
  const operations = controllersOfApi().flatMap((c) => operationsOf(c));
  const parts = operations.flatMap((o) => [
    [o.name, 'request_body', o.spec.body, slots(o, 'request_body')] as const,
    [o.name, 'request_query', o.spec.query, slots(o, 'request_query')] as const,
  ]);

  it.each(parts.filter(([, , , all]) => all.length > 0))(
    '%s accepts the %s that upstream accepts',
    (_, _part, cls, all) => {
      for (const { version, schema } of all) {
        const ours = cls ? compileDto(cls as DtoClass, { version }) : undefined;
        const theirs = upstreamValidator(schema);
        const agree = (value: unknown): void => {
          const accepted = theirs(value);
          const broken = ours?.check(value) ?? null;
          if (accepted !== (broken === null))
            throw new Error(
              `${version}: upstream ${accepted ? 'accepts' : 'refuses'}, ours: ${broken?.message ?? 'accepts'}: ${JSON.stringify(value)?.slice(0, 300)}`,
            );
        };
        fc.assert(fc.property(arbitraryOf(schema), agree), { numRuns: 40 });
        // what is no object is a body only, never a query
        if (_part === 'request_query') agree({ unknown: ['x'] });
      }
    },
  );
});
