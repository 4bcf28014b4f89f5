/** Services that were not heard of for longer than conductors allow. Those that an operator forced down are known to be. */
import { HostsRepository, type Service, serviceIsUp } from '@fractus/compute-db';
import { count, duration } from '@fractus/operator';
import { type Check, type Finding, several } from './check';

export const servicesCheck: Check = {
  name: 'services',
  async run(patient) {
    const all = await new HostsRepository(await patient.compute()).services();
    const now = patient.clock();
    const down = all.filter((s) => !s.forcedDown && !serviceIsUp(s, now, patient.options.serviceDownMs));
    const findings: Finding[] = [];
    for (const binary of new Set(all.map((s) => s.binary))) {
      const ofBinary = all.filter((s) => s.binary === binary);
      const silent = down.filter((s) => s.binary === binary).sort(bySilence);
      if (silent.length > 0) findings.push(finding(binary, silent, ofBinary.length, now));
    }
    for (const needed of ['nova-conductor', 'nova-compute'])
      if (!all.some((s) => s.binary === needed)) findings.push({ text: `no ${needed} has ever reported` });
    const forced = all.filter((s) => s.forcedDown).length;
    return {
      looked: `${count(all.length - forced, 'service')} up${forced ? `, ${forced} forced down` : ''}`,
      findings,
    };
  },
};

const bySilence = (a: Service, b: Service): number => (a.lastSeenAt ?? 0) - (b.lastSeenAt ?? 0);

function finding(binary: string, silent: readonly Service[], all: number, now: number): Finding {
  const names = silent.map(
    (s) => `${s.host} (${s.lastSeenAt === null ? 'never heard of' : `for ${duration(now - s.lastSeenAt)}`})`,
  );
  const hint =
    binary === 'nova-compute'
      ? 'start its agent; guests outlive it. Of a host that is gone for good: delete its servers, then the service'
      : 'start it, or delete the record of one that is gone: openstack compute service delete ID';
  return { text: `${silent.length} of ${all} ${binary} down: ${several(names)}`, hint };
}
