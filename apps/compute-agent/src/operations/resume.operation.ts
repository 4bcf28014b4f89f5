import { defineOperation } from './operation';

/** Brings a suspended guest back as it was. */
export const resumeOperation = defineOperation<'resume'>({
  name: 'resume',
  run: async (driver, { operation }, work) =>
    (await driver.resume(operation.host, operation.serverId, work)).powerState,
});
