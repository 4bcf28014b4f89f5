// What our scheduler answers to a case, in the form in which upstream's answer comes.
import { loadTs } from '../../generators/load-ts.mjs';

/** What upstream asks for today and Debian's release 26 does not yet: the model of a virtual TPM, the kind of encryption. */
const NEWER = new Set(['COMPUTE_SECURITY_TPM_TIS', 'COMPUTE_SECURITY_TPM_CRB', 'HW_CPU_X86_AMD_SEV']);

export async function loadOurs() {
  const ours = await loadTs('differential', `export * from '@fractus/scheduling';`);
  const optionsOf = (options = {}) => ({ ...ours.DEFAULT_OPTIONS, ...options });
  const filter = ({ ourName, host, request, options }) => {
    const found = ours.FILTERS.find((f) => f.name === ourName);
    if (!found) throw new Error(`there is no filter ${ourName}`);
    const { pass } = found.verdict(host, request, optionsOf(options));
    return pass;
  };
  const weights = ({ hosts, request, multipliers }) => {
    const all = { ...ours.DEFAULT_MULTIPLIERS, ...multipliers };
    // what Debian's release has not
    const options = optionsOf({ multipliers: { ...all, num_instances: 0, hypervisor_version: 0 } });
    return Object.fromEntries(ours.weigh(hosts, request, options, 'seed').map((w) => [w.host.host, w.weight]));
  };
  const resources = ({ request }) => {
    const built = ours.buildResourceRequest(request);
    if (!built.ok) return { refused: built.reason.code };
    const groups = built.query.groups.map((g) => [
      g.suffix,
      {
        resources: g.resources,
        required: g.required.filter((t) => !NEWER.has(t)).sort(),
        forbidden: [...g.forbidden].sort(),
      },
    ]);
    return { groups: Object.fromEntries(groups), groupPolicy: built.query.groupPolicy ?? null };
  };
  const requestFilter = ({ name, request, aggregates, options }) => {
    const found = ours.REQUEST_FILTERS.find((f) => f.name === name);
    const result = found.apply(request, { hosts: [], aggregates, everyHostOwned: false }, optionsOf(options));
    if (result && 'rejected' in result) return { refused: true };
    const { rootRequired = [], rootForbidden = [], memberOf = [], notMemberOf = [] } = result?.constraints ?? {};
    return {
      rootRequired: [...rootRequired].sort(),
      rootForbidden: [...rootForbidden].sort(),
      memberOf: memberOf.map((either) => [...either].sort().join(',')).sort(),
      notMemberOf: [...notMemberOf].sort(),
    };
  };
  const RUN = { filter, weights, resources, request_filter: requestFilter };
  return { answer: (c) => RUN[c.kind](c), filterNames: ours.FILTERS.map((f) => f.name) };
}
