/** Starts the MariaDB and the RabbitMQ on which all distributed clouds of a run live, one after the other. */
const { spawn } = require('node:child_process');
const { mkdtempSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, resolve } = require('node:path');
const { createInterface } = require('node:readline');

const STEWARD = resolve(__dirname, '../../libs/testing/steward/steward.mjs');

module.exports = async function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'fractus-e2e-'));
  const keeper = spawn(process.execPath, [STEWARD, folder, '--keeper'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((done) => keeper.once('exit', done));
  await new Promise((ready, failed) => {
    createInterface({ input: keeper.stdout }).once('line', ready);
    void ended.then((code) => failed(new Error(`MariaDB and RabbitMQ could not be started (code ${code})`)));
  });
  process.env.FRACTUS_E2E_FOLDER = folder;
  globalThis.endOfServices = () => {
    keeper.stdin.end();
    return ended;
  };
};
