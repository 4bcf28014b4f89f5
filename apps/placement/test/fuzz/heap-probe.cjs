/** Loaded into the service under test with --expose-gc: tells what is left of its heap when it is asked. */
const { setImmediate } = require('node:timers');

process.on('message', (message) => {
  if (message !== 'heap') return;
  globalThis.gc();
  // what finalizers let go of is collected by the second
  setImmediate(() => {
    globalThis.gc();
    process.send(process.memoryUsage().heapUsed);
  });
});
process.channel?.unref();
