import { defineOperation } from './operation';

/** Freezes the guest in memory. */
export const pauseOperation = defineOperation<'pause'>({
  name: 'pause',
  run: async (driver, { operation }, work) => (await driver.pause(operation.host, operation.serverId, work)).powerState,
});
