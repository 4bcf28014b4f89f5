import { compareVersions, edgesOf, edgesOfClass, ordinal } from '@fractus/dto-schema';
import type { Version } from '@fractus/dto-schema';
import type { VersionTable } from '../version-table';
import { operationsOf } from './api.decorator';
import type { Operation } from './operation';

const text = (at: number): Version => `${Math.floor(at / 10_000)}.${at % 10_000}`;

/** The versions at which an operation changes by its own declaration: route, request, success code. */
function edgesOfOperation({ spec }: Operation): number[] {
  const { since, until, body, query, success } = spec;
  return [
    ...(since === undefined ? [] : [ordinal(since)]),
    ...(until === undefined ? [] : [ordinal(until) + 1]),
    ...(body ? edgesOfClass(body) : []),
    ...(query ? edgesOfClass(query) : []),
    ...(typeof success === 'object' ? edgesOf(Object.keys(success)) : []),
  ];
}

/**
 * Faults of an API's declarations as sentences; empty when they fit together. Run at start:
 * - every version at which an operation or a DTO changes has its entry in the list, so that the list tells all;
 * - every view that a version changes is a view of some operation, so that no change is lost to a slip of the pen;
 * - every operation has a policy and can be planned in every version that it exists in.
 */
export function checkOperations(table: VersionTable, controllers: readonly object[]): string[] {
  const operations = controllers.flatMap((c) => operationsOf(c));
  const faults: string[] = [];
  const { min, max } = table.api;
  for (const operation of operations) {
    for (const edge of edgesOfOperation(operation)) {
      const version = text(edge);
      // the legacy endpoint's schemas are those of 2.0: what changes with the lowest version needs no entry
      if (edge <= ordinal(min) || compareVersions(version, max) > 0) continue;
      if (!table.declares(version))
        faults.push(`${operation.name} changes with ${version}, which the version list does not mention`);
    }
    if (operation.spec.policy === undefined && !operation.spec.policies?.length)
      faults.push(`${operation.name} names no policy rule`);
    const own = edgesOfOperation(operation)
      .map(text)
      .filter((v) => compareVersions(v, min) > 0 && compareVersions(v, max) <= 0);
    for (const version of new Set([min, max, ...own])) {
      try {
        operation.plan(table, { version, legacy: false });
      } catch (e) {
        faults.push(`${operation.name} in ${version}: ${(e as Error).message}`);
      }
    }
  }
  const used = new Set(operations.flatMap((o) => Object.values(o.spec.views ?? {})));
  for (const view of table.viewNames())
    if (!used.has(view)) faults.push(`no operation answers with the view '${view}' that a version changes`);
  return faults;
}
