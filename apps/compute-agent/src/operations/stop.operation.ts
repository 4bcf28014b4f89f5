import { defineOperation } from './operation';

/** Shuts the guest down, cleanly if it obeys within the time-out. */
export const stopOperation = defineOperation<'stop'>({
  name: 'stop',
  run: async (driver, { operation, shutdownTimeoutSeconds }, work) =>
    (await driver.stop(operation.host, operation.serverId, shutdownTimeoutSeconds, work)).powerState,
});
