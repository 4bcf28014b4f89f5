import { defineOperation } from './operation';

/** Boots a guest that is down or has crashed. */
export const startOperation = defineOperation<'start'>({
  name: 'start',
  run: async (driver, { operation }, work) => (await driver.start(operation.host, operation.serverId, work)).powerState,
});
