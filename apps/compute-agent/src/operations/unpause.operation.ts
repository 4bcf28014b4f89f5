import { defineOperation } from './operation';

/** Lets a paused guest go on. */
export const unpauseOperation = defineOperation<'unpause'>({
  name: 'unpause',
  run: async (driver, { operation }, work) =>
    (await driver.unpause(operation.host, operation.serverId, work)).powerState,
});
