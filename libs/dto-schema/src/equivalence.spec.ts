import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsEmail,
  IsIn,
  IsInt,
  IsISO8601,
  IsNotEmpty,
  IsNumber,
  IsOptional,
  IsString,
  IsUrl,
  IsUUID,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
} from 'class-validator';
import fc from 'fast-check';
import {
  AlsoProperties,
  AnyOf,
  Anything,
  BooleanLike,
  Closed,
  Format,
  InVersions,
  ListOf,
  MapOf,
  Members,
  Nested,
  Nullable,
  NumericString,
  OneOf,
  Optional,
  Pattern,
  Present,
  Since,
  Until,
  Versions,
  classValidatorFaults,
  compileDto,
} from './index';
import type { DtoClass, Version } from './index';

@Closed()
class Leaf {
  @IsString() @Length(1, 4) name: string;
  @Optional() @IsInt() @Min(-2) @Max(3) n?: number;
}

class Scalars {
  @IsString() @MinLength(1) @MaxLength(3) text: string;
  @IsInt() @Min(0) @Max(3) whole: number;
  @IsOptional() @IsNumber() real?: number | null;
  @Optional() @IsBoolean() flag?: boolean;
  @Optional() @IsIn(['a', 'b', 1]) pick?: string | number;
  @Optional() @Nullable() @Matches(/^[ab]*$/) pattern?: string | null;
  @Optional() @Pattern('^[ab]*$') python?: string;
  @Optional() @IsUUID() id?: string;
  @Optional() @IsUrl() url?: string;
  @Optional() @IsEmail() mail?: string;
  @Optional() @IsISO8601() at?: string;
  @IsNotEmpty() @Nullable() some: unknown;
  @Optional() @NumericString({ min: 1, max: 5 }) count?: number | string;
  @Optional() @BooleanLike() like?: boolean | string;
  @Optional() @Format('name') named?: string;
  @Anything() any?: unknown;
  @Present() there: unknown;
}

@Closed()
class Composite {
  @IsArray() @ArrayMinSize(1) @ArrayMaxSize(3) @ArrayUnique() @IsString({ each: true }) tags: string[];
  @Optional() @ListOf(() => Leaf, { max: 2 }) leaves?: Leaf[];
  @Optional() @Nullable() @Nested(() => Leaf) leaf?: Leaf | null;
  @Optional() @MapOf('string', { key: '^[a-z]$', maxProperties: 2 }) map?: Record<string, string>;
  @Optional() @OneOf(() => Leaf, [IsString(), MaxLength(2)], { enum: ['a'] }) one?: unknown;
  @Optional() @AnyOf('integer', 'string') any?: unknown;
}

@AlsoProperties('^x', 'integer')
@Closed()
class Versioned {
  @IsString() name: string;
  @Optional() @Since('2.10') @IsInt() since?: number;
  @Optional() @Until('2.9') @IsInt() until?: number;
  @Optional() @Versions('2.3', '2.20-') @IsInt() twice?: number;
  @IsString()
  @InVersions('-2.9', MaxLength(1), Optional())
  @InVersions('2.10-', MaxLength(2))
  text?: string;
  @Optional() @ListOf(() => VersionedLeaf) leaves?: VersionedLeaf[];
}

@Closed()
class VersionedLeaf {
  @Since('2.5') @IsString() tag: string;
}

@AlsoProperties('^[a-z]$', 'string')
@Members({ min: 1, max: 2 })
@Closed('2.5-2.9')
class Keyed {}

class Child extends Leaf {
  @Optional() @IsBoolean() more?: boolean;
}

class Tree {
  @IsString() name: string;
  @Optional() @ListOf(() => Tree, { max: 2 }) children?: Tree[];
}

/** Values that sit near the rules of the classes above. */
const scalar = fc.oneof(
  fc.constantFrom<unknown>(
    '',
    'a',
    'ab',
    'abc',
    'abcde',
    'a\n',
    ' a',
    'x y',
    '3',
    '03',
    '9',
    '1.5',
    'True',
    'no',
    '😀',
    'é',
  ),
  fc.constantFrom<unknown>(-3, 0, 1, 3, 4, 1.5, true, false, null),
  fc.constantFrom<unknown>('https://example.org', 'a@b.example', '2020-01-01', 'a4e70e99-1f1e-4f29-9e6c-1f5d5d1a2b3c'),
);
const keys = ['name', 'n', 'more', 'tag', 'x1', 'other', 'a', 'toString'];
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { weight: 5, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
    {
      weight: 1,
      arbitrary: fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 3, noNullPrototype: true }),
    },
  ),
}));

const objectFor = (properties: string[]): fc.Arbitrary<unknown> =>
  fc.dictionary(fc.constantFrom(...properties, 'other'), value, { maxKeys: properties.length, noNullPrototype: true });

const leaf = fc.record(
  { name: fc.constantFrom('a', 'ab', 'abcde', 1), n: fc.constantFrom(1, 9) },
  { requiredKeys: [] },
);
const composite = fc.record(
  {
    tags: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 4 }),
    leaves: fc.array(leaf, { maxLength: 3 }),
    leaf: fc.oneof(leaf, fc.constant(null)),
    map: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'A', 'b\n'), scalar, { maxKeys: 3, noNullPrototype: true }),
    one: fc.oneof(leaf, scalar),
    any: scalar,
  },
  { requiredKeys: ['tags'] },
);
const versioned = fc.record(
  {
    name: fc.constant('n'),
    since: fc.constantFrom(1, 'x'),
    until: fc.constantFrom(1, 'x'),
    twice: fc.constantFrom(1, 'x'),
    text: fc.constantFrom('a', 'ab', 'abc'),
    leaves: fc.array(fc.constantFrom({}, { tag: 'a' }, { tag: 1 }), { maxLength: 2 }),
    x1: fc.constantFrom(1, 'x'),
    y: fc.constant(1),
  },
  { requiredKeys: ['name'] },
);
const scalars = fc.record(
  Object.fromEntries(
    [
      'text',
      'whole',
      'real',
      'flag',
      'pick',
      'pattern',
      'python',
      'id',
      'url',
      'mail',
      'at',
      'some',
      'count',
      'like',
      'named',
      'any',
    ].map((k) => [k, scalar]),
  ),
  { requiredKeys: [] },
);

function agree(cls: DtoClass, input: unknown, version?: Version): void {
  const broken = compileDto(cls, version ? { version } : {}).check(input);
  const faults = classValidatorFaults(cls, input, version);
  if ((broken === null) !== (faults.length === 0)) {
    throw new Error(`ajv: ${broken?.message ?? 'accepts'} / class-validator: ${faults.join(' | ') || 'accepts'}`);
  }
}

describe('a DTO read by class-validator and by the compiled schema', () => {
  const cases: [string, DtoClass, fc.Arbitrary<unknown>][] = [
    ['scalars', Scalars, scalars],
    ['lists, maps and choices', Composite, composite],
    ['a closed class', Leaf, objectFor(['name', 'n'])],
    ['a class that extends another', Child, objectFor(['name', 'n', 'more'])],
    ['a class that contains itself', Tree, objectFor(['name', 'children'])],
    ['any composite', Composite, objectFor(['tags', 'leaves', 'leaf', 'map', 'one', 'any'])],
  ];
  it.each(cases)('means the same: %s', (_, cls, inputs) => {
    fc.assert(
      fc.property(inputs, (input) => agree(cls, input)),
      { numRuns: 1500 },
    );
  });

  it('means the same in every version', () => {
    const versions = fc.constantFrom('2.1', '2.3', '2.4', '2.5', '2.9', '2.10', '2.19', '2.20', '2.104');
    fc.assert(
      fc.property(versioned, versions, (input, version) => agree(Versioned, input, version)),
      { numRuns: 3000 },
    );
  });

  it('means the same where the class itself changes', () => {
    const keyed = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'long', 'A'), fc.constantFrom<unknown>('x', 1), {
      noNullPrototype: true,
      maxKeys: 4,
    });
    fc.assert(
      fc.property(keyed, fc.constantFrom('2.4', '2.5', '2.9', '2.10'), (input, version) =>
        agree(Keyed, input, version),
      ),
    );
  });

  it('means the same for one property at a time, each value', () => {
    const good = { text: 'a', whole: 1, some: 1, there: null };
    fc.assert(
      fc.property(
        fc.constantFrom(
          ...Object.keys(good),
          'real',
          'pattern',
          'python',
          'count',
          'like',
          'named',
          'id',
          'url',
          'mail',
          'at',
        ),
        value,
        (key, v) => agree(Scalars, { ...good, [key]: v }),
      ),
      { numRuns: 4000 },
    );
  });
});
