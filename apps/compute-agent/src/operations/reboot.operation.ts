import { defineOperation } from './operation';

/** Restarts the guest; a hard reboot also starts one that is down, crashed or asleep. */
export const rebootOperation = defineOperation<'reboot'>({
  name: 'reboot',
  run: async (driver, { operation, type }, work) =>
    (await driver.reboot(operation.host, operation.serverId, type, work)).powerState,
});
