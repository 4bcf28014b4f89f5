import { defineOperation } from './operation';

/** Writes the guest's memory to disk and frees it. */
export const suspendOperation = defineOperation<'suspend'>({
  name: 'suspend',
  run: async (driver, { operation }, work) =>
    (await driver.suspend(operation.host, operation.serverId, work)).powerState,
});
