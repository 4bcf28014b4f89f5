/** What breaks parsers and checks: values, names and texts at the edges of what the API takes, and beyond. */
import * as fc from 'fast-check';

/** Providers, consumers and aggregates come from a few uuids, so that requests meet. */
export const UUIDS = Array.from({ length: 8 }, (_, i) => `00000000-0000-4000-8000-00000000000${i}`);
const often = (names: readonly string[], seldom: readonly string[]): string[] => [
  ...names,
  ...names,
  ...names,
  ...seldom,
];
export const CLASSES = often(['VCPU', 'MEMORY_MB', 'DISK_GB'], ['CUSTOM_A', 'CUSTOM_B', 'NOT_KNOWN']);
export const TRAITS = often(['HW_CPU_X86_VMX', 'STORAGE_DISK_SSD'], ['CUSTOM_T', 'CUSTOM_U', 'NOT_KNOWN']);

const NASTY_TEXTS = [
  '',
  ' ',
  'x'.repeat(300),
  'x'.repeat(70_000),
  '\u0000',
  '\ud800',
  '💩',
  'ß'.repeat(255),
  '__proto__',
  'constructor',
  'toString',
  "'; DROP TABLE resource_providers; --",
  '%00',
  '\n',
  'CUSTOM_',
  'CUSTOM_a',
  'custom_A',
  'null',
  '-1',
  '1e3',
  '0x10',
  '٣',
  'in:',
  'in:,',
  '!',
  '!in:',
  '00000000-0000-4000-8000-00000000000',
  '00000000000040008000000000000001',
  'urn:uuid:00000000-0000-4000-8000-000000000001',
  '{00000000-0000-4000-8000-000000000001}',
];
const NASTY_NUMBERS = [0, -0, -1, 1.5, 1e308, 5e-324, 2147483647, 2147483648, -2147483649, 2 ** 53, 1e21];
let nested: unknown = 1;
for (let i = 0; i < 150; i++) nested = i % 2 ? [nested] : { a: nested };

export const nastyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...NASTY_TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
);

/** A JSON value of a kind that its place may not expect. */
export const nastyValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: nastyText },
  { weight: 4, arbitrary: fc.constantFrom(...NASTY_NUMBERS) },
  { weight: 3, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], { '': {} }, nested) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
);

/** One of a list most times, else something nasty. */
export const mostly = (values: readonly string[], weight = 8): fc.Arbitrary<string> =>
  fc.oneof({ weight, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: nastyText });
