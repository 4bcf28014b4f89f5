#!/usr/bin/env node
// Base images for docker-compose.yml where no image can be pulled, made from Debian's packages:
//
//   fractus-local/node        Debian with the `node` that runs this script
//   fractus-local/mariadb     mariadb-server
//   fractus-local/rabbitmq    rabbitmq-server
//
//   node tools/compose/local-images.mjs [--force]      writes .compose/local.env for docker compose --env-file
//
// Needs root (mmdebstrap makes device files and changes owners), mmdebstrap, a Debian mirror and a running Docker. The
// images are for trying things out: nobody keeps them up to date but who runs this script again.
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { composeFolder, root } from './lib/folders.mjs';

const SUITE = 'bookworm';
const NODE_LIBRARIES = /^(linux-vdso|\/lib64\/ld-linux|ld-linux|lib(c|dl|m|pthread|stdc\+\+|gcc_s)\.)/;
const entrypoint = (name) => join(root, 'tools/compose/local', `${name}-entrypoint`);
/** Commands that mmdebstrap runs when everything is installed; $1 is the new root. */
const withEntrypoint = (name) => [`install -m 755 ${entrypoint(name)} "$1"/usr/local/bin/entrypoint`];

const IMAGES = [
  {
    tag: 'fractus-local/node',
    variable: 'FRACTUS_BASE_IMAGE',
    packages: ['ca-certificates', 'libstdc++6'],
    hooks: [
      `install -m 755 ${process.execPath} "$1"/usr/local/bin/node`,
      'chroot "$1" useradd --uid 1000 --user-group --create-home --shell /bin/bash node',
    ],
    changes: ['CMD ["node"]'],
  },
  {
    tag: 'fractus-local/mariadb',
    variable: 'FRACTUS_MARIADB_IMAGE',
    packages: ['mariadb-server'],
    hooks: [...withEntrypoint('mariadb'), 'rm -rf "$1"/var/lib/mysql/*'],
    changes: ['VOLUME /var/lib/mysql', 'ENTRYPOINT ["entrypoint"]'],
  },
  {
    tag: 'fractus-local/rabbitmq',
    variable: 'FRACTUS_RABBITMQ_IMAGE',
    packages: ['rabbitmq-server'],
    hooks: [
      ...withEntrypoint('rabbitmq'),
      'rm -rf "$1"/var/lib/rabbitmq/* "$1"/var/lib/rabbitmq/.erlang.cookie "$1"/var/log/rabbitmq/*',
    ],
    changes: ['VOLUME /var/lib/rabbitmq', 'ENTRYPOINT ["entrypoint"]'],
  },
];

/** A plain word for what keeps the images from being made here, or null. */
export function missingForLocalImages() {
  if (process.getuid?.() !== 0) return 'mmdebstrap needs root here';
  if (spawnSync('mmdebstrap', ['--version'], { stdio: 'ignore' }).status !== 0)
    return 'mmdebstrap is not installed: apt-get install -y --no-install-recommends mmdebstrap';
  const ldd = spawnSync('ldd', [process.execPath], { encoding: 'utf8' });
  const libraries = ldd.stdout.split('\n').filter((line) => line.trim() !== '');
  const foreign = libraries.find((line) => !NODE_LIBRARIES.test(line.trim()));
  return foreign ? `${process.execPath} needs a library that the image would lack: ${foreign.trim()}` : null;
}

const exists = (tag, env) => spawnSync('docker', ['image', 'inspect', tag], { env, stdio: 'ignore' }).status === 0;

/** Makes the images that are missing, or all with `force`; returns the variables that docker-compose.yml wants. */
export async function makeLocalImages({ env = process.env, force = false, say = console.log } = {}) {
  for (const image of IMAGES) {
    if (!force && exists(image.tag, env)) continue;
    const missing = missingForLocalImages();
    if (missing) throw new Error(missing);
    const began = Date.now();
    await make(image, env);
    say(`${image.tag}: ${Math.round((Date.now() - began) / 1000)} s`);
  }
  return {
    ...Object.fromEntries(IMAGES.map(({ variable, tag }) => [variable, tag])),
    FRACTUS_BUILD_TARGET: 'prebuilt',
  };
}

/** mmdebstrap's archive goes straight into `docker import`; it gets its name when it is known to be whole. */
async function make({ tag, packages, hooks, changes }, env) {
  const debian = spawn(
    'mmdebstrap',
    [
      '--variant=minbase',
      '--quiet',
      `--include=${packages.join(',')}`,
      '--aptopt=Apt::Install-Recommends "false"',
      ...['doc', 'man', 'locale', 'info'].map((d) => `--dpkgopt=path-exclude=/usr/share/${d}/*`),
      ...hooks.map((hook) => `--customize-hook=${hook}`),
      SUITE,
      '-',
    ],
    // a group of its own: when it is interrupted it hangs up on the whole group
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...env, TMPDIR: '/tmp' }, detached: true },
  );
  const interrupt = () => process.kill(-debian.pid, 'SIGINT');
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  const half = `${tag}:incomplete`;
  const docker = spawn('docker', ['import', ...changes.flatMap((c) => ['--change', c]), '-', half], {
    stdio: [debian.stdout, 'ignore', 'inherit'],
    env,
  });
  debian.stdout.destroy(); // docker has it
  let said = '';
  debian.stderr.on('data', (chunk) => (said = (said + chunk).slice(-4000)));
  const ended = (child) => new Promise((done) => child.once('exit', done));
  const [made, imported] = await Promise.all([ended(debian), ended(docker)]);
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  const whole = made === 0 && imported === 0;
  if (whole) spawnSync('docker', ['tag', half, tag], { env, stdio: 'ignore' });
  spawnSync('docker', ['rmi', half], { env, stdio: 'ignore' });
  if (!whole) throw new Error(`${made === 0 ? 'docker import' : 'mmdebstrap'} failed for ${tag}:\n${said}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const unknown = process.argv.slice(2).find((a) => a !== '--force');
  if (unknown) {
    console.error(`local-images: ${unknown}? It takes --force only`);
    process.exit(64);
  }
  try {
    const variables = await makeLocalImages({ force: process.argv.includes('--force') });
    const file = join(composeFolder(), 'local.env');
    writeFileSync(
      file,
      Object.entries(variables)
        .map(([k, v]) => `${k}=${v}\n`)
        .join(''),
    );
    console.log(`node tools/compose/prepare.mjs --prebuilt\ndocker compose --env-file ${file} up -d --build`);
  } catch (e) {
    console.error(`local-images: ${e.message}`);
    process.exit(1);
  }
}
