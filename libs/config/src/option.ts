import 'reflect-metadata';

/**
 * An option is one property of a config class with one `@Option` line; validation decorators of class-validator stand
 * beside it. The type of the property (number, boolean, string, string[]) says how text from the environment is read.
 *
 * ```ts
 * class ApiConfig {
 *   @Option({ default: 8774, describe: 'Port the API listens on; 0 takes a free one.' })
 *   @IsInt() @Min(0) @Max(65535)
 *   port: number;
 *
 *   @Option({ secret: true, optional: true, describe: 'Password of the service user.' })
 *   password?: string;
 *
 *   @Section(() => DatabaseConfig) database: DatabaseConfig;
 * }
 * ```
 */
export interface OptionSpec {
  /** One sentence for the docs: what it does, its unit. */
  describe: string;
  /** Environment variable, without the prefix. Default: the property's path in SNAKE_CASE (`database.url` → DATABASE_URL). */
  env?: string;
  /** Value where neither environment, file nor overrides say one. */
  default?: unknown;
  /** Absent is fine. Without this and without a default an option must be given. */
  optional?: boolean;
  /** Never shown; may also come from the file that `<ENV>_FILE` names. */
  secret?: boolean;
}

export type Constructor<T = object> = new () => T;

interface Declared {
  options: Map<string, OptionSpec>;
  sections: Map<string, () => Constructor>;
}

const declared = new WeakMap<object, Declared>();

function declaredOn(prototype: object): Declared {
  let own = declared.get(prototype);
  if (!own) declared.set(prototype, (own = { options: new Map(), sections: new Map() }));
  return own;
}

/** Declares an option; see the module's comment. */
export function Option(spec: OptionSpec): PropertyDecorator {
  return (prototype, property) => void declaredOn(prototype).options.set(String(property), spec);
}

/** Declares a nested group of options. Its environment variables carry the property's name as a further prefix. */
export function Section(type: () => Constructor): PropertyDecorator {
  return (prototype, property) => void declaredOn(prototype).sections.set(String(property), type);
}

export type OptionType = 'string' | 'number' | 'boolean' | 'list' | 'json';

/** One option of a class with all that loading and describing need, nested ones with dotted paths. */
export interface OptionInfo {
  path: readonly string[];
  env: string;
  type: OptionType;
  spec: OptionSpec;
}

/** Every option of a class and of its sections, in the order of declaration (base classes first). */
export function optionsOf(type: Constructor, prefix = ''): OptionInfo[] {
  return walk(type.prototype as object, [], prefix);
}

function walk(prototype: object, path: string[], prefix: string): OptionInfo[] {
  const infos: OptionInfo[] = [];
  for (const level of chain(prototype)) {
    const own = declared.get(level);
    for (const [name, spec] of own?.options ?? []) {
      const env = prefix + (spec.env ?? [...path, name].map(snake).join('_'));
      infos.push({ path: [...path, name], env, type: typeOf(level, name, spec), spec });
    }
    for (const [name, section] of own?.sections ?? []) {
      infos.push(...walk(section().prototype as object, [...path, name], prefix));
    }
  }
  return infos;
}

/** The nested groups of a class: property and the class behind it. */
export function sectionsOf(type: Constructor): [string, Constructor][] {
  return chain(type.prototype as object).flatMap((level) =>
    [...(declared.get(level)?.sections ?? [])].map(([name, section]): [string, Constructor] => [name, section()]),
  );
}

function chain(prototype: object): object[] {
  const parent = Object.getPrototypeOf(prototype) as object | null;
  return parent && parent !== Object.prototype ? [...chain(parent), prototype] : [prototype];
}

function typeOf(prototype: object, property: string, spec: OptionSpec): OptionType {
  switch (Reflect.getMetadata('design:type', prototype, property)) {
    case Number:
      return 'number';
    case Boolean:
      return 'boolean';
    case Array:
      return 'list';
    case String:
      return 'string';
    default:
      // a type that is imported says nothing at run time, so its default has to; what is left are objects and maps
      return typeof spec.default === 'string' ? 'string' : 'json';
  }
}

function snake(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/-/g, '_')
    .toUpperCase();
}
