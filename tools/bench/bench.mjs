#!/usr/bin/env node
// Measures a cloud over its public REST interfaces only, so that it can be set beside any other that speaks them.
//   node tools/bench/bench.mjs --help
import { Cloud } from './lib/cloud.mjs';
import { CpuMeter, parsePids, readPidFile } from './lib/cpu.mjs';
import { Http } from './lib/http.mjs';
import { createProgram } from './lib/program.mjs';
import { result, text } from './lib/report.mjs';
import { defaultPidFile, readTarget, UsageError } from './lib/target.mjs';

function pidsOf(options, target) {
  const files = options.pidFile ?? [defaultPidFile(target)].filter(Boolean);
  const all = Object.assign({}, ...files.map(readPidFile), options.pids ? parsePids(options.pids) : {});
  return Object.keys(all).length ? all : undefined;
}

async function execute({ name, run }, options) {
  const target = await readTarget(process.env, { ...options, cloud: options.osCloud });
  const pids = pidsOf(options, target);
  const http = new Http();
  const cloud = new Cloud(http, target, options);
  try {
    await cloud.login();
    const meter = pids && new CpuMeter(pids);
    const clientBefore = process.cpuUsage();
    const start = performance.now();
    const figures = await run(cloud, options);
    const wallMs = performance.now() - start;
    const { user, system } = process.cpuUsage(clientBefore);
    const report = result(name, figures, {
      wallMs,
      cpu: meter?.read(),
      client: (user + system) / 1e6,
      retriedSockets: http.retriedSockets,
    });
    console.log(options.json ? JSON.stringify(report) : text(report));
  } finally {
    http.close();
  }
}

try {
  await createProgram(execute).parseAsync();
} catch (e) {
  console.error(e instanceof UsageError ? `bench: ${e.message}` : `bench: ${e.stack ?? e}`);
  process.exit(e instanceof UsageError ? 2 : 1);
}
