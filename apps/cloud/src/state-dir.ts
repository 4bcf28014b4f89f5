import Sqlite from 'better-sqlite3';
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { OptionError } from './options';

/** Passwords made on the first start and kept in the state folder, readable by the owner alone. */
export interface Secrets {
  adminPassword: string;
  demoPassword: string;
  servicePassword: string;
}

const SECRET_KEYS = ['adminPassword', 'demoPassword', 'servicePassword'] as const;
/** What a reset may remove: only what a cloud writes, so that a wrong --state-dir loses nothing of somebody's. */
const OWNED = [
  'databases',
  'images',
  'agent',
  'logs',
  'secrets.json',
  'clouds.yaml',
  'pids.json',
  'lock.db',
  'lock.db-journal',
  'keys',
  'seeded',
];

/** The folder a cloud lives in. Only one cloud may hold it; the lock is the system's and falls with the process. */
export class StateDir {
  private constructor(
    readonly path: string,
    private readonly lock: Sqlite.Database,
  ) {}

  /**
   * Makes the folder, takes the lock, empties it if asked. Throws OptionError with one line on what is wrong; a folder
   * that holds something of somebody else's is left as it is.
   */
  static open(path: string, reset: boolean): StateDir {
    try {
      makeFolder(path);
      accessSync(path, constants.W_OK | constants.X_OK);
    } catch (e) {
      throw new OptionError(`cannot write to the state folder ${path}: ${(e as Error).message}`);
    }
    const foreign = foreignEntry(path);
    if (foreign !== undefined)
      throw new OptionError(`${path} is no state folder: it holds ${foreign}; give an empty or a new folder`);
    const lock = takeLock(path);
    if (reset)
      for (const name of OWNED)
        if (!name.startsWith('lock.db')) rmSync(join(path, name), { recursive: true, force: true });
    for (const name of ['databases', 'images', 'agent', 'logs', 'keys']) folderWithin(path, name);
    return new StateDir(path, lock);
  }

  file(...parts: string[]): string {
    return join(this.path, ...parts);
  }

  database(name: string): string {
    return `sqlite:${this.file('databases', `${name}.db`)}`;
  }

  /** Reads the passwords, making them on the first start. */
  secrets(): Secrets {
    const file = this.file('secrets.json');
    const known = readSecrets(file);
    const missing = SECRET_KEYS.filter((key) => typeof known[key] !== 'string');
    for (const key of missing) known[key] = randomBytes(15).toString('base64url');
    if (missing.length) writePrivate(file, `${JSON.stringify(known, null, 2)}\n`);
    return known as Secrets;
  }

  release(): void {
    this.lock.close();
  }
}

/** Writes a file that only its owner may read, whole or not at all. */
export function writePrivate(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}

function folderWithin(path: string, name: string): void {
  try {
    mkdirSync(join(path, name), { recursive: true });
  } catch (e) {
    throw new OptionError(`cannot make the folder ${join(path, name)}: ${(e as Error).message}`);
  }
}

/** None at all is a new cloud; a file that cannot be read may be mended by hand, so it is not written over. */
function readSecrets(file: string): Partial<Secrets> {
  if (!existsSync(file)) return {};
  try {
    const known: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof known === 'object' && known !== null && !Array.isArray(known)) return known;
    throw new Error('not a JSON object');
  } catch (e) {
    throw new OptionError(
      `cannot read the passwords in ${file}: ${(e as Error).message.replace(/ in JSON.*/, ' in JSON')}`,
    );
  }
}

/** The first thing in the folder that says it is not a cloud's; a lock, the first thing a cloud writes, says it is. */
function foreignEntry(path: string): string | undefined {
  const entries = readdirSync(path);
  if (entries.includes('lock.db')) return undefined;
  return entries.find((name) => !name.startsWith('.') && name !== 'lost+found');
}

/** Folder by folder: Node's own recursive way never ends where the system lets nobody make one, as in /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return void readdirSync(path);
  makeFolder(dirname(path));
  mkdirSync(path);
}

function takeLock(path: string): Sqlite.Database {
  try {
    const lock = new Sqlite(join(path, 'lock.db'), { timeout: 0 });
    lock.pragma('locking_mode = EXCLUSIVE');
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (e) {
    const busy = (e as { code?: string }).code?.startsWith('SQLITE_BUSY');
    throw new OptionError(
      busy
        ? `a cloud is running in ${path} already; stop it, or give another --state-dir and --port-base`
        : `cannot write to the state folder ${path}: ${(e as Error).message}`,
    );
  }
}
