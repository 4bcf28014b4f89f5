/** Upstream's own Placement, where it is installed: on a database of its own, for the time of a test. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseMysqlUrl } from '@fractus/database';
import { ask, type Served } from './world';

/** The command that comes with it, whose first line names the interpreter that has it. */
const command = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'placement-manage'))
  .find((file) => existsSync(file));

export const hasUpstreamPlacement = (): boolean => command !== undefined;

const PROGRAM = `
import sys, wsgiref.simple_server as simple
from placement.wsgi import init_application
class Quiet(simple.WSGIRequestHandler):
    def log_message(self, *args): pass
server = simple.make_server('127.0.0.1', 0, init_application(), handler_class=Quiet)
print('serving on', server.server_port, flush=True)
server.serve_forever()
`;

/** Makes its schema in the empty database, and serves it without identity. */
export async function serveUpstream(url: string): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'fractus-upstream-'));
  const { host, port: at, user, password, database } = parseMysqlUrl(url);
  const connection = `mysql+pymysql://${user}:${password}@${host}:${at}/${database}?charset=utf8`;
  writeFileSync(
    join(folder, 'placement.conf'),
    `[api]\nauth_strategy = noauth2\n[placement_database]\nconnection = ${connection}\nsync_on_startup = true\n`,
  );
  const interpreter = /^#!\s*(\S+)/.exec(readFileSync(command ?? '', 'utf8'))?.[1] ?? 'python3';
  const child = spawn(interpreter, ['-c', PROGRAM], {
    env: { PATH: process.env['PATH'], OS_PLACEMENT_CONFIG_DIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let complaint = '';
  child.stderr.on('data', (data: Buffer) => (complaint = `${complaint}${data.toString()}`.slice(-2000)));
  // what it logs goes to the same place
  const port = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      const [, served] = /^serving on (\d+)$/.exec(line) ?? [];
      if (served !== undefined) resolve(served);
    });
    child.once('exit', () => reject(new Error(`upstream's Placement does not start: ${complaint}`)));
  });
  const base = `http://127.0.0.1:${port}`;
  return {
    url: base,
    call: (method, path, body, version) => ask(base, { method, path, body, version }),
    close: async () => {
      child.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
