/** Hosts that are registered twice, or not whole: service and compute node belong together. */
import { COMPUTE_BINARY, type ComputeNode, HostsRepository, type Service } from '@fractus/compute-db';
import { count } from '@fractus/operator';
import { type Check, type Finding, several } from './check';

const PAGE = 200;

export const hostsCheck: Check = {
  name: 'hosts',
  async run(patient) {
    const repository = new HostsRepository(await patient.compute());
    const services = await repository.services({ binary: COMPUTE_BINARY });
    const nodes = await allNodes(repository);
    return {
      looked: `${count(nodes.length, 'host')}, each registered once`,
      findings: [...twice(nodes), ...halves(services, nodes)],
    };
  },
};

export async function allNodes(repository: HostsRepository): Promise<ComputeNode[]> {
  const nodes: ComputeNode[] = [];
  for (;;) {
    const page = await repository.nodes({ after: nodes.at(-1)?.rowId ?? 0, limit: PAGE });
    nodes.push(...page);
    if (page.length < PAGE) return nodes;
  }
}

function twice(nodes: readonly ComputeNode[]): Finding[] {
  const findings: Finding[] = [];
  for (const [what, of] of [
    ['host', (n: ComputeNode) => n.host],
    ['hypervisor', (n: ComputeNode) => n.node],
  ] as const) {
    const seen = new Map<string, ComputeNode[]>();
    for (const node of nodes) seen.set(of(node), [...(seen.get(of(node)) ?? []), node]);
    for (const [name, same] of seen) {
      if (same.length < 2) continue;
      findings.push({
        text: `${what} ${name} is registered ${same.length} times: ${same.map((n) => `${n.nodeId} on ${n.host}`).join(', ')}`,
        hint: 'two agents serve it, or one lost its state folder: stop the wrong one and delete its service',
      });
    }
  }
  return findings;
}

function halves(services: readonly Service[], nodes: readonly ComputeNode[]): Finding[] {
  const served = new Set(services.map((s) => s.host));
  const known = new Set(nodes.map((n) => n.host));
  const lonely = services.filter((s) => !known.has(s.host)).map((s) => s.host);
  const orphaned = nodes.filter((n) => !served.has(n.host)).map((n) => n.host);
  return [
    ...(lonely.length > 0 ? [{ text: `without a compute node: ${several(lonely)}`, hint: 'restart its agent, which registers it' }] : []),
    ...(orphaned.length > 0 ? [{ text: `without a service: ${several(orphaned)}`, hint: 'restart its agent, which registers it' }] : []),
  ]; // prettier-ignore
}
