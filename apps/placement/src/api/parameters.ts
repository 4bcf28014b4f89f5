/** Reads the little languages inside query parameters. Every refusal names the parameter and the form it should have. */
import { invalid } from '@fractus/objects';
import { FORMATS } from '@fractus/dto-schema';

const BAD_VALUE = { code: 'query.bad_value' };
const isUuid = (text: string): boolean => FORMATS.uuid.check(text);

/** `VCPU:2,MEMORY_MB:1024`. */
export function parseResources(text: string): Map<string, number> {
  const form =
    'Badly formed resources parameter. Expected resources query string parameter in form: ?resources=VCPU:2,MEMORY_MB:1024.';
  if (text.trim() === '') throw invalid(`${form} Got: empty string.`, BAD_VALUE);
  const resources = new Map<string, number>();
  for (const item of text.split(',')) {
    const parts = item.split(':');
    const [name, amountText] = parts;
    if (parts.length !== 2 || name === undefined || amountText === undefined)
      throw invalid(`${form} Got: ${item}.`, BAD_VALUE);
    const amount = /^\s*[+-]?\d+\s*$/.test(amountText) ? Number(amountText) : NaN;
    if (!Number.isSafeInteger(amount))
      throw invalid(`Requested resource ${name} expected positive integer amount. Got: ${amountText}.`, BAD_VALUE);
    if (amount < 1) throw invalid(`Requested resource ${name} requires amount >= 1. Got: ${amount}.`, BAD_VALUE);
    resources.set(name, amount);
  }
  return resources;
}

export interface TraitRules {
  readonly forbiddenTraits: boolean;
  readonly anyTraits: boolean;
}

export interface TraitTerms {
  /** Each inner list: at least one of. */
  required: string[][];
  forbidden: string[];
}

/** Every value of one `required` parameter; before 1.39 the last one alone counts. */
export function parseTraits(values: readonly string[], rules: TraitRules): TraitTerms {
  const terms: TraitTerms = { required: [], forbidden: [] };
  for (const value of rules.anyTraits ? values : values.slice(-1)) {
    if (value.startsWith('in:')) terms.required.push(parseAnyOf(value, rules));
    else parseTraitList(value, rules, terms);
  }
  return terms;
}

const PREFIX = 'Invalid query string parameters:';

function parseAnyOf(value: string, rules: TraitRules): string[] {
  const form = 'in:HW_CPU_X86_VMX,CUSTOM_MAGIC';
  if (!rules.anyTraits)
    throw invalid(`${PREFIX} The format '${form}' only supported since microversion 1.39. Got: ${value}`, BAD_VALUE);
  const names = [
    ...new Set(
      value
        .slice(3)
        .split(',')
        .map((n) => n.trim()),
    ),
  ];
  if (names.includes(''))
    throw invalid(
      `${PREFIX} Expected 'required' parameter value of the form: ${form}. Got an empty trait in: ${value}`,
      BAD_VALUE,
    );
  if (names.some((n) => n.startsWith('!')))
    throw invalid(`${PREFIX} The format '${form}' does not support forbidden traits. Got: ${value}`, BAD_VALUE);
  return names;
}

function parseTraitList(value: string, rules: TraitRules, into: TraitTerms): void {
  const names = value.split(',').map((n) => n.trim());
  const forbidden = names.filter((n) => n.startsWith('!')).map((n) => n.replace(/^!+/, '')); // several ! count as one
  const form = rules.forbiddenTraits ? 'HW_CPU_X86_VMX,!CUSTOM_MAGIC' : 'HW_CPU_X86_VMX,CUSTOM_MAGIC';
  const expected = `${PREFIX} Expected 'required' parameter value of the form: ${form}.`;
  if (names.includes('') || forbidden.includes(''))
    throw invalid(`${expected} Got an empty trait in: ${value}`, BAD_VALUE);
  if (forbidden.length && !rules.forbiddenTraits) throw invalid(`${expected} Got: ${value}`, BAD_VALUE);
  into.required.push(...names.filter((n) => !n.startsWith('!')).map((n) => [n]));
  into.forbidden.push(...forbidden);
}

export interface AggregateRules {
  readonly repeatedMemberOf: boolean;
  readonly forbiddenAggregates: boolean;
}

/** Every value of one `member_of` parameter: `uuid`, `in:a,b`, `!uuid`, `!in:a,b`. */
export function parseMemberOf(
  values: readonly string[],
  rules: AggregateRules,
  suffix = '',
): { memberOf: string[][]; notMemberOf: string[] } {
  if (values.length > 1 && !rules.repeatedMemberOf)
    throw invalid(`Multiple member_of${suffix} parameters are not supported`, BAD_VALUE);
  const memberOf: string[][] = [];
  const notMemberOf: string[] = [];
  for (const value of values) {
    const { negated, uuids } = parseAggregates(value);
    if (!negated) memberOf.push(uuids);
    else if (!rules.forbiddenAggregates)
      throw invalid(
        `Forbidden member_of${suffix} parameters are not supported in the specified microversion`,
        BAD_VALUE,
      );
    else notMemberOf.push(...uuids);
  }
  return { memberOf, notMemberOf };
}

function parseAggregates(value: string): { negated: boolean; uuids: string[] } {
  const negated = value.startsWith('!');
  const rest = negated ? value.slice(1) : value;
  const list = rest.startsWith('in:');
  if (value.includes(',') && !list) {
    throw invalid(
      `Multiple values for 'member_of' must be prefixed with the 'in:' or '!in:' keyword using the valid microversion. Got: ${value}`,
      BAD_VALUE,
    );
  }
  const uuids = list ? [...new Set(rest.slice(3).split(','))] : [rest];
  for (const uuid of uuids) {
    if (!isUuid(uuid))
      throw invalid(`${PREFIX} Expected 'member_of' parameter to contain valid UUID(s). Got: ${uuid}`, BAD_VALUE);
  }
  return { negated, uuids };
}

export function parseInTree(value: string): string {
  if (isUuid(value)) return value.trim();
  throw invalid(`${PREFIX} Expected 'in_tree' parameter to be a format of uuid. Got: ${value}`, BAD_VALUE);
}
