// npm start: checks, installs what is missing, builds if needed, then runs the whole cloud in one process.
import { spawn } from 'node:child_process';
import { checkNode, ensureBuilt, ensureInstalled } from './checks.mjs';

checkNode();
ensureInstalled();
const bundle = ensureBuilt('cloud');

const cloud = spawn(process.execPath, [bundle, ...process.argv.slice(2)], { stdio: 'inherit' });
// Ctrl-C reaches the cloud by itself (same process group); a signal sent to this process alone is passed on.
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => cloud.kill(signal));
process.on('SIGINT', () => undefined);
cloud.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
