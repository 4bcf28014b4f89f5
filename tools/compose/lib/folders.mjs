import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../../..');

/** The folder of what is made here and belongs to nobody else: secrets, the prebuilt application. Git never sees it. */
export function composeFolder(folder = join(root, '.compose')) {
  mkdirSync(folder, { recursive: true });
  // this is what keeps the secrets from others on this machine: the files inside are mounted into containers whose
  // users have other numbers, and must be readable by all of them
  chmodSync(folder, 0o700);
  const ignore = join(folder, '.gitignore');
  if (!existsSync(ignore)) writeFileSync(ignore, '*\n');
  return folder;
}
