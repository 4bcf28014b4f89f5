import { IsInt, IsString, MaxLength, ValidateIf, ValidateNested } from 'class-validator';
import { isFractusError } from '@fractus/objects';
import {
  Closed,
  FORMATS,
  Format,
  InVersions,
  ListOf,
  MapOf,
  Nested,
  Nullable,
  NumericString,
  Optional,
  Secret,
  Since,
  compileDto,
  edgesOfClass,
  jsonSchemaOf,
  parseInstant,
} from './index';

@Closed()
class Network {
  @Optional() @Format('uuid') uuid?: string;
}

@Closed()
class Server {
  @IsString() @MaxLength(5) name: string;
  @Optional() @Secret() @IsString() adminPass?: string;
  @Optional() @ListOf(() => Network) networks?: Network[];
  @Optional() @Nullable() @IsString() description?: string | null;
  @Optional() @NumericString({ min: 1 }) count?: string;
  @Optional() @MapOf('string', { key: '^[a-z]+$' }) metadata?: Record<string, string>;
  @Optional()
  @Since('2.90')
  @InVersions('2.90-2.93', MaxLength(2))
  @InVersions('2.94-', MaxLength(4))
  hostname?: string;
}

@Closed()
class Create {
  @Nested(() => Server) server: Server;
}

function failure(run: () => unknown): { message: string; details: unknown } {
  try {
    run();
  } catch (e) {
    if (isFractusError(e, 'invalid')) return { message: e.message, details: e.details };
    throw e;
  }
  throw new Error('nothing was refused');
}

describe('compileDto', () => {
  const parse = (body: unknown, version = '2.104'): unknown => compileDto(Create, { version }).parse(body);

  it('hands back the value it was given', () => {
    const body = { server: { name: 'a' } };
    expect(parse(body)).toBe(body);
  });

  it('names the field, the value and the rule', () => {
    expect(failure(() => parse({ server: { name: 'a', networks: [{ uuid: 'x' }] } }))).toEqual({
      message:
        "Invalid input for field/attribute uuid. Value: x. 'x' is not a 'uuid': it must be a UUID (at server.networks[0].uuid)",
      details: { path: 'server.networks[0].uuid', rule: 'format' },
    });
    expect(failure(() => parse({})).message).toBe("'server' is a required property");
    expect(failure(() => parse({ server: {} })).message).toBe(
      "Invalid input for field/attribute server. Value: {}. 'name' is a required property",
    );
    expect(failure(() => parse({ server: { name: 'a', nope: 1 } })).message).toContain(
      "Additional properties are not allowed ('nope' was unexpected)",
    );
    expect(failure(() => parse({ server: { name: 'a', description: 1 } })).message).toContain('1 is not of type');
    expect(failure(() => parse({ server: { name: 'a', count: '0' } })).message).toContain(
      "'0' is less than the minimum of 1",
    );
  });

  it('keeps messages short whatever comes in, and secrets out of them', () => {
    const long = 'x'.repeat(500_000);
    expect(failure(() => parse({ server: { name: long } })).message.length).toBeLessThan(1100);
    expect(failure(() => parse({ server: { name: 'a', [long]: 1 } })).message.length).toBeLessThan(1100);
    expect(failure(() => parse({ server: { name: 'a', adminPass: 12345 } })).message).not.toContain('12345');
    expect(failure(() => parse({ server: { name: 7, adminPass: 'hunter2' } })).message).not.toContain('hunter2');
  });

  it('knows what a version knows', () => {
    expect(() => parse({ server: { name: 'a', hostname: 'abc' } }, '2.94')).not.toThrow();
    expect(() => parse({ server: { name: 'a', hostname: 'abc' } }, '2.93')).toThrow('too long');
    expect(() => parse({ server: { name: 'a', hostname: 'a' } }, '2.89')).toThrow('unexpected');
    expect(edgesOfClass(Create)).toEqual([20_090, 20_094]);
    expect(compileDto(Create, { version: '2.1' })).toBe(compileDto(Create, { version: '2.89' }));
    expect(compileDto(Create)).toBe(compileDto(Create, { version: '2.104' }));
  });

  it('drops what the legacy endpoint does not know, but not from maps', () => {
    const legacy = compileDto(Create, { version: '2.0', unknown: 'drop' });
    expect(legacy.parse({ server: { name: 'a', nope: 1 }, other: 2 })).toEqual({ server: { name: 'a' } });
    expect(() => legacy.parse({ server: { name: 'a', metadata: { A1: 'x' } } })).toThrow('Additional properties');
  });

  it('is not fooled by members of the prototype', () => {
    expect(() => parse(JSON.parse('{"server": {"name": "a", "__proto__": {}}}'))).toThrow('unexpected');
    class Odd {
      @IsInt() constructor_: number;
      @IsString() toString_: string;
    }
    expect(() => compileDto(Odd).parse({})).toThrow('required');
  });

  it('refuses declarations that no schema can say, at compile time', () => {
    class A {
      @ValidateNested() @IsString() a: object;
    }
    class B {
      @ValidateIf(() => true) @IsString() a: string;
    }
    class C {
      @IsString() @IsInt() a: string;
    }
    for (const cls of [A, B, C]) expect(() => jsonSchemaOf(cls)).toThrow(`a`);
  });
});

describe('formats', () => {
  const is = (name: keyof typeof FORMATS, ...values: string[]): boolean[] => values.map((v) => FORMATS[name].check(v));

  it('read names as Python does', () => {
    expect(is('name', 'a', '', 'a b', 'é', 'a\n')).toEqual([true, true, true, true, true]);
    expect(is('name', ' a', 'a ', '\n', '\u0000', '😀', 'a\n\n')).toEqual([false, false, false, false, false, false]);
    expect(is('name_with_leading_trailing_spaces', ' a ', ' ', 'a')).toEqual([true, false, true]);
    expect(is('az_name', 'a:b', 'ab')).toEqual([false, true]);
  });

  it('read base64 as Python does', () => {
    expect(is('base64', '', 'YQ==', 'YWI=', 'Y Q=\n=', '====', 'YQ==YQ==')).toEqual([
      true,
      true,
      true,
      true,
      true,
      true,
    ]);
    expect(is('base64', 'Y', 'YQ', 'YQ=', 'YWI')).toEqual([false, false, false, false]);
  });

  it('read addresses, ids and times', () => {
    expect(
      is(
        'uuid',
        'A4E70E99-1F1E-4F29-9E6C-1F5D5D1A2B3C',
        'a4e70e991f1e4f299e6c1f5d5d1a2b3c',
        '{a4e70e991f1e4f299e6c1f5d5d1a2b3c}',
        'x',
      ),
    ).toEqual([true, true, true, false]);
    expect(is('ipv4', '10.0.0.1', '10.0.0', '10.0.0.01')).toEqual([true, false, false]);
    expect(is('ipv6', '::1', 'fe80::1%eth0', '1.2.3.4')).toEqual([true, false, false]);
    expect(is('cidr', '10.0.0.0/8', '10.0.0.0/33', '10.0.0.0', '::/0', '10.0.0.0/255.0.0.0')).toEqual([
      true,
      false,
      false,
      true,
      true,
    ]);
    expect(
      is(
        'date-time',
        '2020-01-02T03:04:05Z',
        '2020',
        '2020-13-01',
        '202001',
        '2020-02-30',
        'x',
        '2020-01-02T03:04:05.123456+01:00',
      ),
    ).toEqual([true, true, false, false, false, false, true]);
    expect(parseInstant('2020-01-02T03:04:05.5+01:00')).toBe(Date.UTC(2020, 0, 2, 2, 4, 5, 500));
    expect(parseInstant('2020-01-02T03:04:05')).toBe(Date.UTC(2020, 0, 2, 3, 4, 5));
  });
});
