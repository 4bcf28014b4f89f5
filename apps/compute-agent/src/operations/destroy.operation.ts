import { defineOperation } from './operation';

/** Removes the guest; of a guest that is not there, nothing. With `forever` no later build of the server is obeyed. */
export const destroyOperation = defineOperation<'destroy'>({
  name: 'destroy',
  diskHeavy: true,
  forever: (request) => request.forever,
  run: async (driver, { operation }, work) => {
    await driver.destroy(operation.host, operation.serverId, work);
    return undefined;
  },
});
