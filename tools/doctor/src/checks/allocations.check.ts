/** Servers that hold nothing on the host they live on. */
import { count } from '@fractus/operator';
import { misplaced } from '../allocations';
import { type Check, NotHere, several } from './check';

export const allocationsCheck: Check = {
  name: 'allocations',
  async run(patient) {
    if (patient.places.kind === 'embedded')
      throw new NotHere('asked of Placement over RPC, which a cloud in one process does not show');
    const found = await misplaced(await patient.compute(), await patient.placement());
    const hint = 'npm run doctor -- allocations lists them, --heal claims what is missing';
    const told = (holds: string, text: string) => {
      const servers = found.filter((m) => m.holds === holds).map((m) => m.server.id);
      return servers.length > 0
        ? [{ text: `${count(servers.length, 'server')} ${text}: ${several(servers)}`, hint }]
        : [];
    };
    return {
      looked: 'every server at rest holds resources on its host',
      findings: [
        ...told('none', 'on a host without an allocation'),
        ...told('elsewhere', 'whose allocation is of another host'),
      ],
    };
  },
};
