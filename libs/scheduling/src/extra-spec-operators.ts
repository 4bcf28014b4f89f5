/**
 * The little language of extra specs: `<operator> <operand…>`. The first word is an operator or the whole text is
 * compared as it is. `=` means "at least"; `s==` and its kin compare text; `<in>` looks for text within the value,
 * `<all-in>` for all of several, `<or>` for one of several.
 */
type Test = (value: string, operands: string[]) => boolean;

const numeric =
  (compare: (a: number, b: number) => boolean): Test =>
  (value, [operand]) => {
    const [a, b] = [toNumber(value), toNumber(operand)];
    return a !== undefined && b !== undefined && compare(a, b);
  };
const textual =
  (compare: (a: string, b: string) => boolean): Test =>
  (value, [operand]) =>
    operand !== undefined && compare(value, operand);

const TESTS: Readonly<Record<string, Test>> = {
  '=': numeric((a, b) => a >= b),
  '==': numeric((a, b) => a === b),
  '!=': numeric((a, b) => a !== b),
  '>=': numeric((a, b) => a >= b),
  '<=': numeric((a, b) => a <= b),
  's==': textual((a, b) => a === b),
  's!=': textual((a, b) => a !== b),
  's<': textual((a, b) => a < b),
  's<=': textual((a, b) => a <= b),
  's>': textual((a, b) => a > b),
  's>=': textual((a, b) => a >= b),
  '<in>': textual((a, b) => a.includes(b)),
  '<all-in>': (value, operands) => operands.length > 0 && operands.every((o) => value.includes(o)),
  // `<or> a <or> b`: every second word
  '<or>': (value, operands) => operands.some((o, i) => i % 2 === 0 && o === value),
};

/** Whether the value meets the requirement. A number wanted of what is no number is not met. */
export function meets(value: string, requirement: string): boolean {
  const [first, ...operands] = requirement.split(/\s+/).filter((w) => w !== '');
  const test = first !== undefined && Object.hasOwn(TESTS, first) ? TESTS[first] : undefined;
  return test ? test(value, operands) : value === requirement;
}

function toNumber(text: string | undefined): number | undefined {
  if (text === undefined || !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim())) return undefined;
  return Number(text);
}
