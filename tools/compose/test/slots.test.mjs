// The entry point as agents run it, with a `node` that stands in for the programs it would start.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, describe, it } from 'node:test';
import { root } from '../lib/folders.mjs';

const folder = mkdtempSync(join(tmpdir(), 'fractus-slots-'));
mkdirSync(join(folder, 'bin'));
writeFileSync(
  join(folder, 'bin', 'node'),
  `#!/bin/bash
if [[ $1 == *replica.mjs ]]; then echo "$REPLICA"; exit; fi
echo "$FRACTUS_COMPUTE_AGENT_AGENT_ID $FRACTUS_COMPUTE_AGENT_STATE_DIR $FRACTUS_COMPUTE_AGENT_HOST_PATTERN"
exec cat
`,
  { mode: 0o755 },
);
const skip = spawnSync('flock', ['--version']).status === 0 ? false : 'there is no flock here';

describe('the slots of agents', { skip }, () => {
  const slots = join(folder, 'slots');
  const running = [];
  after(() => rmSync(folder, { recursive: true }));
  afterEach(async () => {
    await Promise.all(running.splice(0).map((agent) => agent.kill()));
    rmSync(slots, { recursive: true, force: true });
  });

  /** Starts an agent that is replica `number`; resolves when it runs. */
  async function start(number) {
    const env = { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, FRACTUS_SLOTS_DIR: slots, REPLICA: number };
    const script = join(root, 'tools/compose/image/fractus');
    const child = spawn(script, ['compute-agent'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    const gone = once(child, 'exit');
    const [line] = await once(child.stdout, 'data');
    const [id, stateDir, hosts] = String(line).trim().split(' ');
    const kill = async () => {
      child.kill('SIGKILL');
      await gone;
    };
    running.push({ kill });
    return { id, stateDir, hosts, kill };
  }

  it('follow the number of the replica, with folder and hosts', async () => {
    const two = await start('2');
    assert.deepEqual([two.id, two.stateDir, two.hosts], ['agent-2', join(slots, 'agent-2'), 'host-2-%']);
    assert.equal((await start('1')).id, 'agent-1');
  });

  it('are never held by two', async () => {
    const agents = await Promise.all(['1', '1', '2', '3', '1'].map(start));
    assert.deepEqual(agents.map((a) => a.id).sort(), ['agent-1', 'agent-2', 'agent-3', 'agent-4', 'agent-5']);
  });

  it('are free at once when their agent is killed', async () => {
    await start('1');
    const second = await start('2');
    await second.kill();
    assert.equal((await start('2')).id, 'agent-2');
  });

  it('are counted from the first that is free, where the number cannot be told', async () => {
    await start('2');
    assert.deepEqual([(await start('0f3a9c')).id, (await start('b1c2d3')).id], ['agent-1', 'agent-3']);
  });
});
