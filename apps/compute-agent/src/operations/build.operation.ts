import { defineOperation } from './operation';

/** Makes the guest and starts it. The driver answers with the guest that is there if there is one. */
export const buildOperation = defineOperation<'build'>({
  name: 'build',
  builds: true,
  diskHeavy: true,
  run: async (driver, { operation, guest }, work) => (await driver.spawn(operation.host, guest, work)).powerState,
});
