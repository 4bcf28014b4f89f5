// Empty databases, each for one service: files, or databases of a private MariaDB.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { missingMariadb, startMariadb } from '../../services/mariadb.mjs';
import { createTables } from './placement-service.mjs';
import { Missing } from './suite.mjs';

/**
 * The databases that were asked for, by name: `fresh(folder)` gives the URL of an empty one, `stop` ends the server.
 * `asked` undefined means both, or SQLite alone where there is no MariaDB; `skipped` says so.
 */
export async function openDatabases(asked, folder) {
  const missing = asked === 'sqlite' ? null : missingMariadb();
  if (missing && asked !== undefined) throw new Missing(missing, 4);
  const kinds = [];
  if (asked !== 'mariadb') kinds.push(sqlite());
  if (asked !== 'sqlite' && !missing) kinds.push(await mariadb(join(folder, 'mariadb')));
  return { kinds, skipped: missing && `MariaDB was left out. ${missing}` };
}

const sqlite = () => ({
  name: 'sqlite',
  fresh: async (folder) => {
    mkdirSync(folder, { recursive: true });
    return `sqlite:${join(folder, 'placement.db')}`;
  },
  stop: async () => undefined,
});

async function mariadb(folder) {
  const server = await startMariadb({ folder, flush: 0 });
  let made = 0;
  return {
    name: 'mariadb',
    fresh: async () => {
      const url = await server.createDatabase(`placement_${++made}`);
      await createTables(url);
      return url;
    },
    stop: () => server.stop(),
  };
}
