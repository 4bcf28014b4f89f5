import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findCloud } from './places';

describe('where a cloud is', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'fractus-places-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const embedded = (at: string): void => {
    mkdirSync(join(at, 'databases'), { recursive: true });
    for (const name of ['compute', 'placement']) writeFileSync(join(at, 'databases', `${name}.db`), '');
  };
  const cluster = (at: string): void => {
    mkdirSync(at, { recursive: true });
    const env = {
      FRACTUS_RPC_URLS: 'amqps://control:pw@h/',
      FRACTUS_RPC_CA_FILE: '/ca.pem',
      FRACTUS_LOG_LEVEL: 'info',
    };
    const processes = [
      { name: 'compute-agent-1', admin: 'http://h:1', env: { FRACTUS_RPC_URLS: 'amqps://agent:pw@h/' } },
      { name: 'conductor-1', admin: 'http://h:2', env },
    ];
    const databases = { compute: 'mysql://c@h/c', placement: 'mysql://p@h/p' };
    writeFileSync(join(at, 'cluster.json'), JSON.stringify({ databases, processes }));
  };

  it('is told by the folder of a cloud in one process', () => {
    embedded(folder);
    expect(findCloud({ stateDir: folder }, { FRACTUS_RPC_URLS: 'amqp://other@h/' })).toEqual({
      kind: 'embedded',
      folder,
      databases: {
        compute: `sqlite:${join(folder, 'databases/compute.db')}`,
        placement: `sqlite:${join(folder, 'databases/placement.db')}`,
      },
      processes: [],
    });
  });

  it('is told by the folder of a cluster, with the broker as conductors reach it', () => {
    cluster(folder);
    const found = findCloud({ stateDir: folder }, {});
    expect(found).toMatchObject({
      kind: 'distributed',
      databases: { compute: 'mysql://c@h/c', placement: 'mysql://p@h/p' },
      rpc: { urls: ['amqps://control:pw@h/'], caFile: '/ca.pem', prefix: 'fractus' },
      processes: [
        { name: 'compute-agent-1', admin: 'http://h:1' },
        { name: 'conductor-1', admin: 'http://h:2' },
      ],
    });
    expect(JSON.stringify(found.processes)).not.toContain('pw');
  });

  it('lets the command line and the operator’s own variables win over the folder', () => {
    cluster(folder);
    const env = { FRACTUS_OPERATOR_RPC_USER: 'ann', FRACTUS_OPERATOR_RPC_PASSWORD: 'x', FRACTUS_RPC_PREFIX: 'other' };
    const found = findCloud({ stateDir: folder, database: 'mysql://replica/c' }, env);
    expect(found.databases.compute).toBe('mysql://replica/c');
    expect(found.rpc).toMatchObject({ user: 'ann', prefix: 'fractus' });
  });

  it('is told by the variables that the processes have', () => {
    const secret = join(folder, 'url');
    writeFileSync(secret, 'mysql://p:pw@h/p\n');
    const env = {
      FRACTUS_DATABASE_URL: 'mysql://c@h/c',
      FRACTUS_PLACEMENT_DATABASE_URL_FILE: secret,
      FRACTUS_RPC_URLS: 'amqp://a@h/,amqp://a@i/',
      FRACTUS_OPERATOR_ADMIN_URLS: 'conductor-1=http://h:9001/,api=https://h:9002',
    };
    expect(findCloud({}, env, folder)).toMatchObject({
      kind: 'distributed',
      databases: { compute: 'mysql://c@h/c', placement: 'mysql://p:pw@h/p' },
      rpc: { urls: ['amqp://a@h/', 'amqp://a@i/'] },
      processes: [
        { name: 'conductor-1', admin: 'http://h:9001' },
        { name: 'api', admin: 'https://h:9002' },
      ],
    });
    expect(findCloud({ database: 'sqlite:/x.db' }, {}, folder).kind).toBe('embedded');
    expect(findCloud({ database: 'sqlite:/x.db', rpc: 'amqp://h/' }, {}, folder).kind).toBe('distributed');
  });

  it('is looked for where clouds usually are, and asked for where there are two or none', () => {
    expect(() => findCloud({}, {}, folder)).toThrow('say which cloud');
    embedded(join(folder, '.fractus'));
    expect(findCloud({}, {}, folder)).toMatchObject({ kind: 'embedded', folder: join(folder, '.fractus') });
    cluster(join(folder, '.fractus-cluster'));
    expect(() => findCloud({}, {}, folder)).toThrow('both .fractus-cluster and .fractus are here');
    expect(() => findCloud({ stateDir: folder }, {})).toThrow('is no state folder');
    writeFileSync(join(folder, 'cluster.json'), '{');
    expect(() => findCloud({ stateDir: folder }, {})).toThrow('cannot read');
  });

  it('shows no secret in what it refuses', () => {
    const env = { FRACTUS_DATABASE_URL: 'postgres://u:hunter2@h/n', FRACTUS_RPC_URLS: 'http://u:hunter2@h' };
    expect(() => findCloud({}, env, folder)).toThrow(expect.not.stringContaining('hunter2') as never);
  });
});
