import { readFileSync } from 'node:fs';
import { validateSync, type ValidationError } from 'class-validator';
import { invalid, type FractusError } from '@fractus/objects';
import { parse as parseYaml } from 'yaml';
import { optionsOf, sectionsOf, type Constructor, type OptionInfo } from './option';
import { printableConfig } from './secrets';

export type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]?: DeepPartial<T[K]> }
    : T;

export interface LoadConfigOptions<T> {
  /** Default: none. An app's main passes process.env. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Path of a YAML or JSON file. */
  file?: string;
  /** Values that win over everything: command line, tests. */
  overrides?: DeepPartial<T>;
  /** Prefix of every environment variable, e.g. `FRACTUS_COMPUTE_API_`. */
  prefix?: string;
  /** Prefix of the variables that hold where those of `prefix` are not set: one for every service, e.g. `FRACTUS_`. */
  commonPrefix?: string;
}

type Tree = Record<string, unknown>;

/**
 * Reads, validates and freezes a config. Later sources win: default, file, environment, overrides.
 * Throws one `invalid` error (code `config.invalid`) whose message lists every fault with the place it came from.
 * `JSON.stringify` and `util.inspect` of the result hide secrets.
 */
export function loadConfig<T extends object>(type: Constructor<T>, options: LoadConfigOptions<T> = {}): Readonly<T> {
  const errors: string[] = [];
  const infos = optionsOf(type, options.prefix);
  if (infos.length === 0) throw new Error(`${type.name} declares no options`);
  const file = options.file === undefined ? {} : readFile(options.file, errors);
  const overrides = (options.overrides ?? {}) as Tree;
  refuseUnknown(file, infos, options.file ?? '', errors);
  refuseUnknown(overrides, infos, 'overrides', errors);

  const config = instantiate(type) as T;
  const source = new Map<string, string>();
  for (const info of infos) {
    const found = find(info, file, options, overrides, errors);
    const name = info.path.join('.');
    source.set(name, found?.from ?? `${name} (${info.env})`);
    if (found === undefined && info.spec.default === undefined && !info.spec.optional) {
      errors.push(`${name} is required: set ${info.env} or "${name}" in the configuration file`);
    }
    put(config as Tree, info.path, found ? found.value : structuredClone(info.spec.default));
  }
  errors.push(...faults(config, source));
  if (errors.length > 0) throw configError(type, errors);
  return seal(type, config);
}

function configError(type: Constructor, errors: string[]): FractusError {
  const lines = [...new Set(errors)];
  return invalid(`invalid configuration (${type.name}):\n${lines.map((e) => `  - ${e}`).join('\n')}`, {
    code: 'config.invalid',
    details: { errors: lines },
  });
}

function instantiate(type: Constructor): object {
  const config = new type() as Tree;
  for (const [name, section] of sectionsOf(type)) config[name] = instantiate(section);
  return config;
}

function readFile(path: string, errors: string[]): Tree {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (e) {
    errors.push(`cannot read ${path}: ${(e as Error).message}`);
    return {};
  }
  try {
    const tree: unknown = parseYaml(text) ?? {};
    if (typeof tree === 'object' && tree !== null && !Array.isArray(tree)) return tree as Tree;
    errors.push(`${path} must hold a mapping of options`);
  } catch (e) {
    errors.push(`${path} is not YAML or JSON: ${(e as Error).message.split('\n')[0] ?? ''}`);
  }
  return {};
}

/** A typing error in a name must not pass silently: it would leave the default in force. */
function refuseUnknown(tree: Tree, infos: OptionInfo[], where: string, errors: string[], path: string[] = []): void {
  for (const [key, value] of Object.entries(tree)) {
    const here = [...path, key];
    const name = here.join('.');
    if (infos.some((i) => i.path.join('.') === name)) continue;
    const isSection = infos.some((i) => i.path.join('.').startsWith(`${name}.`));
    if (!isSection) errors.push(`${where}: unknown option "${name}"`);
    else if (typeof value === 'object' && value !== null) refuseUnknown(value as Tree, infos, where, errors, here);
    else errors.push(`${where}: "${name}" must be a mapping`);
  }
}

interface Found {
  value: unknown;
  /** For messages: where the value came from. */
  from: string;
}

function find(
  info: OptionInfo,
  file: Tree,
  options: Pick<LoadConfigOptions<object>, 'env' | 'file' | 'prefix' | 'commonPrefix'>,
  overrides: Tree,
  errors: string[],
): Found | undefined {
  const name = info.path.join('.');
  const override = get(overrides, info.path);
  if (override !== undefined) return { value: override, from: name };
  const text = fromEnvironment(info, options, errors);
  if (text !== undefined) return read(info, text.value, text.from, errors);
  const value = get(file, info.path);
  return value === undefined ? undefined : { value, from: `${name} (${options.file ?? ''})` };
}

/** The option's own variable, or the one that holds for every service. */
function fromEnvironment(
  info: OptionInfo,
  { env = {}, prefix = '', commonPrefix }: Pick<LoadConfigOptions<object>, 'env' | 'prefix' | 'commonPrefix'>,
  errors: string[],
): { value: string; from: string } | undefined {
  const own = fromVariable(info, info.env, env, errors);
  if (own !== undefined || commonPrefix === undefined) return own;
  return fromVariable(info, commonPrefix + info.env.slice(prefix.length), env, errors);
}

function fromVariable(
  info: OptionInfo,
  name: string,
  env: NonNullable<LoadConfigOptions<object>['env']>,
  errors: string[],
): { value: string; from: string } | undefined {
  const value = env[name];
  if (value !== undefined) return { value, from: name };
  const variable = `${name}_FILE`;
  const path = info.spec.secret ? env[variable] : undefined;
  if (path === undefined) return undefined;
  try {
    return { value: readFileSync(path, 'utf8').replace(/\r?\n$/, ''), from: variable };
  } catch (e) {
    errors.push(`${variable}: cannot read ${path}: ${(e as NodeJS.ErrnoException).code ?? 'error'}`);
    return undefined;
  }
}

/** Reads text by the option's type. What does not parse is an error here, so that class-validator is not asked twice. */
function read(info: OptionInfo, text: string, from: string, errors: string[]): Found | undefined {
  const shown = info.spec.secret ? 'the value' : JSON.stringify(text);
  switch (info.type) {
    case 'string':
      return { value: text, from };
    case 'number':
      if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim())) return { value: Number(text), from };
      errors.push(`${from}: ${shown} is not a number`);
      break;
    case 'boolean':
      if (/^(true|1|yes|on)$/i.test(text.trim())) return { value: true, from };
      if (/^(false|0|no|off)$/i.test(text.trim())) return { value: false, from };
      errors.push(`${from}: ${shown} is not true or false`);
      break;
    case 'list':
      return {
        value: text
          .split(',')
          .map((s) => s.trim())
          .filter((s) => s !== ''),
        from,
      };
    case 'json':
      try {
        return { value: JSON.parse(text) as unknown, from };
      } catch {
        errors.push(`${from}: ${shown} is not JSON`);
      }
  }
  return { value: undefined, from };
}

function get(tree: Tree, path: readonly string[]): unknown {
  let at: unknown = tree;
  for (const key of path) at = typeof at === 'object' && at !== null ? (at as Tree)[key] : undefined;
  return at === null ? undefined : at;
}

function put(tree: Tree, path: readonly string[], value: unknown): void {
  let at = tree;
  for (const key of path.slice(0, -1)) at = at[key] as Tree;
  if (value !== undefined) at[path[path.length - 1] as string] = value;
}

/** class-validator's word on every option, each with the place that its value came from. */
function faults(config: object, source: Map<string, string>, path: string[] = []): string[] {
  const errors = validateSync(config, { forbidUnknownValues: false, skipMissingProperties: false });
  const own = errors.flatMap((e: ValidationError) => {
    const name = [...path, e.property].join('.');
    const from = source.get(name);
    // what is absent is either optional or already reported
    return e.value === undefined || from === undefined
      ? []
      : Object.values(e.constraints ?? {}).map((text) => `${from}: ${text}`);
  });
  const nested = sectionsOf(config.constructor as Constructor).flatMap(([name]) =>
    faults((config as Tree)[name] as object, source, [...path, name]),
  );
  return [...own, ...nested];
}

function seal<T extends object>(type: Constructor<T>, config: T): Readonly<T> {
  for (const [name, section] of sectionsOf(type)) seal(section, (config as Tree)[name] as object);
  const printable = (): unknown => printableConfig(type, { ...config });
  Object.defineProperty(config, 'toJSON', { value: printable });
  Object.defineProperty(config, Symbol.for('nodejs.util.inspect.custom'), { value: printable });
  return freeze(config);
}

function freeze<V>(value: V): V {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.values(value).forEach(freeze);
  return Object.freeze(value);
}
