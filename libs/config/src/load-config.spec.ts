import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { IsIn, IsInt, IsString, IsUrl, Max, MaxLength, Min } from 'class-validator';
import { describeConfig, loadConfig, Option, printableConfig, Section } from './index';

class DatabaseConfig {
  @Option({ describe: 'Where rows are kept.', default: 'sqlite:dev.db' })
  @IsString()
  url: string;

  @Option({ describe: 'Connections at most.', default: 10 })
  @IsInt()
  @Min(1)
  poolSize: number;
}

class ApiConfig {
  @Option({ describe: 'Port to listen on.', default: 8774 })
  @IsInt()
  @Min(0)
  @Max(65535)
  port: number;

  @Option({ describe: 'Driver to use.', default: 'simulated' })
  @IsIn(['simulated', 'qemu'])
  driver: 'simulated' | 'qemu';

  @Option({ describe: 'Filters in order.', default: ['a', 'b'] })
  @IsString({ each: true })
  filters: string[];

  @Option({ describe: 'Say more.', default: false })
  debug: boolean;

  @Option({ describe: 'Identity | its URL.', env: 'AUTH_URL' })
  @IsUrl({ require_tld: false })
  identityUrl: string;

  @Option({ describe: 'Password of the service user.', secret: true, optional: true })
  @MaxLength(20)
  password?: string;

  @Section(() => DatabaseConfig)
  database: DatabaseConfig;
}

const env = { AUTH_URL: 'http://localhost:5000/v3' };
const file = (text: string): string => {
  const path = join(mkdtempSync(join(tmpdir(), 'config-')), 'file.yaml');
  writeFileSync(path, text);
  return path;
};

describe('loadConfig', () => {
  it('fills in defaults', () => {
    expect({ ...loadConfig(ApiConfig, { env }) }).toEqual({
      port: 8774,
      driver: 'simulated',
      filters: ['a', 'b'],
      debug: false,
      identityUrl: 'http://localhost:5000/v3',
      database: expect.objectContaining({ url: 'sqlite:dev.db', poolSize: 10 }),
    });
  });

  it('takes the file over defaults, the environment over the file, overrides over all', () => {
    const path = file('port: 1\ndriver: qemu\nfilters: [x]\ndatabase: {url: "sqlite:file", poolSize: 3}\n');
    const config = loadConfig(ApiConfig, {
      file: path,
      env: { ...env, PORT: '2', DEBUG: 'yes', FILTERS: 'p, q', DATABASE_POOL_SIZE: '4' },
      overrides: { port: 3 },
    });
    expect(config).toMatchObject({ port: 3, driver: 'qemu', filters: ['p', 'q'], debug: true });
    expect(config.database).toMatchObject({ url: 'sqlite:file', poolSize: 4 });
  });

  it('reads variables under a prefix', () => {
    expect(loadConfig(ApiConfig, { prefix: 'F_', env: { F_AUTH_URL: 'http://x', F_PORT: '9', PORT: '1' } }).port).toBe(
      9,
    );
  });

  it('lists every fault at once, each with the place it came from', () => {
    const path = file('driver: vmware\nprot: 1\ndatabase: {poolSize: 0, nope: 1}\n');
    expect(() =>
      loadConfig(ApiConfig, {
        file: path,
        env: { PORT: 'high', DEBUG: 'maybe' },
        overrides: { filters: [1] as never },
      }),
    ).toThrow(
      expect.objectContaining({
        code: 'config.invalid',
        details: {
          errors: [
            `${path}: unknown option "prot"`,
            `${path}: unknown option "database.nope"`,
            'PORT: "high" is not a number',
            'DEBUG: "maybe" is not true or false',
            'identityUrl is required: set AUTH_URL or "identityUrl" in the configuration file',
            `driver (${path}): driver must be one of the following values: simulated, qemu`,
            'filters: each value in filters must be a string',
            `database.poolSize (${path}): poolSize must not be less than 1`,
          ],
        },
      }),
    );
  });

  it.each([
    ['/does/not/exist.yaml', /cannot read/],
    [file('a: ['), /is not YAML/],
    [file('- a'), /must hold a mapping/],
    [file('database: 7'), /"database" must be a mapping/],
  ])('refuses %s', (path, message) => {
    expect(() => loadConfig(ApiConfig, { file: path, env })).toThrow(message);
  });

  it('reads a secret from a file, never shows it, never says it in an error', () => {
    const secret = file('hunter2\n');
    const config = loadConfig(ApiConfig, { env: { ...env, PASSWORD_FILE: secret } });
    expect(config.password).toBe('hunter2');
    expect(
      JSON.stringify(config) +
        inspect(config) +
        JSON.stringify({ config }) +
        JSON.stringify(printableConfig(ApiConfig, config)),
    ).not.toContain('hunter2');
    expect(JSON.parse(JSON.stringify(config))).toMatchObject({
      password: '***',
      port: 8774,
      database: { poolSize: 10 },
    });
    expect(() => loadConfig(ApiConfig, { env: { ...env, PASSWORD: 'long-long-secret-long-secret' } })).toThrow(
      expect.not.stringContaining('long-secret') as never,
    );
    expect(() => loadConfig(ApiConfig, { env: { ...env, PASSWORD_FILE: '/nowhere' } })).toThrow(
      /PASSWORD_FILE: cannot read/,
    );
  });

  it('is frozen to the bottom', () => {
    const config = loadConfig(ApiConfig, { env });
    expect(() => Object.assign(config, { port: 1 })).toThrow(TypeError);
    expect(() => Object.assign(config.database, { url: 'x' })).toThrow(TypeError);
    expect(() => (config.filters as string[]).push('x')).toThrow(/not extensible/);
    expect(loadConfig(ApiConfig, { env }).filters).toEqual(['a', 'b']);
  });
});

describe('describeConfig', () => {
  it('is a table of every option', () => {
    expect(describeConfig(ApiConfig, { prefix: 'F_' })).toBe(
      [
        '| Option | Environment | Type | Default | Meaning |',
        '|---|---|---|---|---|',
        '| `port` | `F_PORT` | number | `8774` | Port to listen on. |',
        '| `driver` | `F_DRIVER` | string | `"simulated"` | Driver to use. |',
        '| `filters` | `F_FILTERS` | list | `["a","b"]` | Filters in order. |',
        '| `debug` | `F_DEBUG` | boolean | `false` | Say more. |',
        '| `identityUrl` | `F_AUTH_URL` | string | **required** | Identity \\| its URL. |',
        '| `password` | `F_PASSWORD`, `F_PASSWORD_FILE` | string | none | Password of the service user. |',
        '| `database.url` | `F_DATABASE_URL` | string | `"sqlite:dev.db"` | Where rows are kept. |',
        '| `database.poolSize` | `F_DATABASE_POOL_SIZE` | number | `10` | Connections at most. |',
        '',
      ].join('\n'),
    );
  });
});
