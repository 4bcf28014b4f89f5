/** Bodies that begin as good ones and are then changed: in their values, and in their text. */
import * as fc from 'fast-check';
import { CLASSES, nastyText, nastyValue, TRAITS, UUIDS } from './values';

type Json = unknown;

const uuid = fc.constantFrom(...UUIDS);
const amount = fc.integer({ min: 1, max: 8 });
const generation = fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 3, arbitrary: fc.nat(3) });
const rpGeneration = fc.nat(3);
const resources = fc.dictionary(fc.constantFrom(...CLASSES), amount, { minKeys: 1, maxKeys: 3 });
const inventory = fc.record(
  {
    total: fc.integer({ min: 1, max: 64 }),
    reserved: fc.nat(4),
    min_unit: amount,
    max_unit: fc.integer({ min: 1, max: 64 }),
    step_size: fc.integer({ min: 1, max: 3 }),
    allocation_ratio: fc.constantFrom(1, 1.5, 16),
  },
  { requiredKeys: ['total'] },
);
const inventories = fc.record({
  resource_provider_generation: rpGeneration,
  inventories: fc.dictionary(fc.constantFrom(...CLASSES), inventory, { maxKeys: 3 }),
});
const consumer = fc.record(
  {
    allocations: fc.oneof(
      { weight: 12, arbitrary: fc.dictionary(uuid, fc.record({ resources }), { maxKeys: 2 }) },
      {
        weight: 1,
        arbitrary: fc.array(fc.record({ resource_provider: fc.record({ uuid }), resources }), { maxLength: 2 }),
      },
    ),
    project_id: fc.constantFrom('p1', 'p2'),
    user_id: fc.constantFrom('u1', 'u2'),
    consumer_generation: generation,
    consumer_type: fc.constantFrom('INSTANCE', 'MIGRATION'),
    mappings: fc.dictionary(fc.constantFrom('', '_A', '1'), fc.array(uuid, { minLength: 1, maxLength: 2 })),
  },
  { requiredKeys: ['allocations', 'project_id', 'user_id', 'consumer_generation', 'consumer_type'] },
);
const consumers = fc.dictionary(uuid, consumer, { maxKeys: 3 });
const traits = fc.record({
  resource_provider_generation: rpGeneration,
  traits: fc.array(fc.constantFrom(...TRAITS), { maxLength: 3 }),
});
const aggregates = fc.oneof(
  fc.array(uuid, { maxLength: 3 }),
  fc.record({ resource_provider_generation: rpGeneration, aggregates: fc.uniqueArray(uuid, { maxLength: 3 }) }),
);
const provider = fc.record(
  { name: fc.constantFrom(...'abcdefghijkl'), uuid, parent_provider_uuid: fc.oneof(uuid, fc.constant(null)) },
  { requiredKeys: ['name'] },
);

/** By the path's template; a path without one has no body of its own. */
const GOOD: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  '/resource_providers': provider,
  '/resource_providers/{uuid}': provider,
  '/resource_providers/{uuid}/inventories': fc.oneof(
    inventories,
    fc
      .tuple(inventory, fc.constantFrom(...CLASSES), rpGeneration)
      .map(([i, rc, g]) => ({ ...i, resource_class: rc, resource_provider_generation: g })),
  ),
  '/resource_providers/{uuid}/inventories/{class}': fc
    .tuple(inventory, rpGeneration)
    .map(([i, g]) => ({ ...i, resource_provider_generation: g })),
  '/resource_providers/{uuid}/aggregates': aggregates,
  '/resource_providers/{uuid}/traits': traits,
  '/resource_classes': fc.record({ name: fc.constantFrom(...CLASSES) }),
  '/resource_classes/{class}': fc.record({ name: fc.constantFrom(...CLASSES) }),
  '/allocations': consumers,
  '/allocations/{consumer}': consumer,
  '/reshaper': fc.record({ inventories: fc.dictionary(uuid, inventories, { maxKeys: 2 }), allocations: consumers }),
};

/** The text of a body for a path, as bytes: good about every other time. */
export function bodyFor(template: string): fc.Arbitrary<Buffer> {
  const good = GOOD[template] ?? fc.constant({});
  const changed = fc.tuple(good, fc.array(change, { minLength: 1, maxLength: 3 })).map(([body, changes]) =>
    // shapes are shared between runs: never change the generated value itself
    changes.reduce((value, c) => c(value), structuredClone(body)),
  );
  const value = fc.oneof(
    { weight: 5, arbitrary: good },
    { weight: 4, arbitrary: changed },
    { weight: 1, arbitrary: nastyValue },
  );
  const text = value.map((v) => JSON.stringify(v) ?? '');
  return fc.oneof(
    { weight: 8, arbitrary: text.map((t) => Buffer.from(t)) },
    { weight: 1, arbitrary: fc.tuple(text, garble).map(([t, how]) => how(t)) },
  );
}

type Change = (value: Json) => Json;

/** Replaces, takes away, adds or renames at some place of the value. */
const change: fc.Arbitrary<Change> = fc
  .record({
    at: fc.nat(1000),
    how: fc.constantFrom('replace', 'drop', 'add', 'rename', 'wrap'),
    value: nastyValue,
    key: nastyText,
  })
  .map(({ at, how, value: shared, key }) => (root) => {
    const value = structuredClone(shared);
    const places = placesOf(root);
    const place = places[at % Math.max(1, places.length)];
    if (!place) return how === 'wrap' ? [root] : value;
    const holder = place.holder as Record<string | number, Json>;
    if (how === 'drop' && !Array.isArray(holder)) delete holder[place.key];
    else if (how === 'add') define(holder, key, value);
    else if (how === 'rename') define(holder, key, holder[place.key]);
    else if (how === 'wrap') holder[place.key] = [holder[place.key]];
    else holder[place.key] = value;
    return root;
  });

/** As a member of its own, also where it is called `__proto__`. */
function define(holder: object, key: string, value: Json): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

function placesOf(value: Json, found: { holder: object; key: string }[] = []): { holder: object; key: string }[] {
  if (typeof value !== 'object' || value === null || found.length > 200) return found;
  for (const key of Object.keys(value)) {
    found.push({ holder: value, key });
    placesOf((value as Record<string, Json>)[key], found);
  }
  return found;
}

/** Changes of the text that no JSON writer would make. */
const garble: fc.Arbitrary<(text: string) => Buffer> = fc.oneof(
  fc.nat(1000).map((at) => (t: string) => Buffer.from(t.slice(0, at % Math.max(1, t.length)))),
  fc
    .constantFrom('1e999', '-0', '1.0', '10000000000000000000000', '01', 'NaN', 'nul')
    .map((n) => (t: string) => Buffer.from(t.replace(/\b\d+\b/, n))),
  fc.constantFrom('utf16le' as const, 'latin1' as const).map((encoding) => (t: string) => Buffer.from(t, encoding)),
  fc.uint8Array({ maxLength: 12 }).map((bytes) => (t: string) => Buffer.concat([Buffer.from(t), Buffer.from(bytes)])),
  fc.constantFrom('[', '{"a":', '"').map((open) => () => Buffer.from(open.repeat(5000))),
  fc.constant((t: string) => Buffer.from(`\ufeff${t}`)),
  fc.constant((t: string) => Buffer.from(t.replace('{', '{"name":1,"name":2,'))),
);
