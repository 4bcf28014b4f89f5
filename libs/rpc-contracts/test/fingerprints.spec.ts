import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { IsUUID } from 'class-validator';
import * as everything from '../src';
import type { Contract } from '../src';
import { breakingChanges } from './compatibility';
import { fingerprintsOf, type Fingerprint, type Shape } from './shape';

const FILE = resolve(__dirname, '../fingerprints.json');
const COMMAND = 'UPDATE_FINGERPRINTS=1 npx jest -c libs/rpc-contracts/jest.config.cjs';

const isContract = (v: unknown): v is Contract =>
  typeof v === 'object' && v !== null && 'topic' in v && 'methods' in v && 'routing' in v;
const contracts = Object.values<unknown>(everything).filter(isContract);

type Fingerprints = Record<string, Fingerprint>;
const current = fingerprintsOf(contracts);
const committed = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Fingerprints) : {};

const shapes = (f: Fingerprints): Record<string, Shape> =>
  Object.fromEntries(Object.entries(f).map(([method, { shape }]) => [method, shape]));

/** `1`: takes additions. `breaking`: takes anything, for contracts that no release has carried yet. */
const update = process.env.UPDATE_FINGERPRINTS;

describe('the fingerprints of the RPC contracts', () => {
  it('break no promise to processes that run the committed contracts', () => {
    if (update === 'breaking') return;
    const broken = breakingChanges(shapes(committed), shapes(current));
    if (broken.length > 0) {
      throw new Error(
        [
          'Contracts only grow: processes of the version before must work beside these. Broken:',
          ...broken.map((b) => `  - ${b}`),
          'Add an optional member or a new method instead, and keep the old one for a release.',
          `If no release has carried the contract yet: ${COMMAND.replace('=1', '=breaking')}`,
        ].join('\n'),
      );
    }
  });

  it('are the committed ones', () => {
    if (update) {
      if (update !== 'breaking') expect(breakingChanges(shapes(committed), shapes(current))).toEqual([]);
      writeFileSync(FILE, `${JSON.stringify(current, null, 1)}\n`);
      return;
    }
    const methods = [...new Set([...Object.keys(current), ...Object.keys(committed)])];
    const changed = methods.filter((m) => current[m]?.fingerprint !== committed[m]?.fingerprint);
    if (changed.length === 0) return;
    throw new Error(
      [
        `The contract changed: ${changed.join(', ')}.`,
        `If that is meant, record it and commit the file: ${COMMAND}`,
        'Contracts only grow; docs/checklists/add-an-rpc-method.md says how.',
      ].join('\n'),
    );
  });

  it('are told alike by two processes that have met other rules before', () => {
    const told = (others: number): Record<string, string> => {
      let prints: Record<string, string> = {};
      jest.isolateModules(() => {
        const { jsonSchemaOf } = jest.requireActual<typeof import('@fractus/dto-schema')>('@fractus/dto-schema');
        for (let i = 0; i < others; i++) {
          class Other {
            @IsUUID() id: string;
          }
          jsonSchemaOf(Other);
        }
        prints = jest.requireActual<typeof import('../src')>('../src').contractFingerprints();
      });
      return prints;
    };
    const [first, second] = [told(0), told(3)];
    expect(second).toEqual(first);
    expect(Object.keys(first)).toEqual(Object.keys(current));
  });

  it('cover every contract, one topic each', () => {
    const topics = contracts.map((c) => c.topic);
    expect(new Set(topics).size).toBe(topics.length);
    expect(topics.length).toBeGreaterThanOrEqual(5);
    expect(new Set(everything.CONTRACTS)).toEqual(new Set(contracts));
  });
});
