/** The one line that people read: "12 hosts: 4 disabled, 6 lack COMPUTE_VOLUME_MULTI_ATTACH, 2 lack DISK_GB (need 80, best free 61)". */
import { FILTERS } from './filters';
import type { ClaimStage, PlacementStage, ScheduleReport, Stage } from './report';

const MAX_LENGTH = 1000;
const PHRASES: ReadonlyMap<string, string> = new Map(FILTERS.flatMap((f) => Object.entries<string>(f.codes)));

export function summarise(report: Omit<ScheduleReport, 'summary'>): string {
  return shorten(line(report));
}

function line({ outcome, hostCount, stages }: Omit<ScheduleReport, 'summary'>): string {
  const refused = stages.find((s) => s.stage === 'request_filter' && s.reason);
  if (refused?.stage === 'request_filter' && refused.reason) return refused.reason.sentence;
  if (hostCount === 0) return 'There are no compute hosts.';
  const claim = stages.find((s) => s.stage === 'claim');
  const parts = phrases(stages, hostCount);
  if (outcome === 'claims_exhausted') return `${count(hostCount, 'host')}: ${[...parts, lostClaims(claim)].join(', ')}`;
  if (outcome !== 'selected') {
    return `${count(hostCount, 'host')}: ${parts.join(', ') || 'none has a candidate for this request'}`;
  }
  const fit = claim?.in ?? 1;
  const tail = parts.length > 0 ? ` (${parts.join(', ')})` : '';
  const more = stages.some((s) => s.stage === 'candidates' && s.limited) ? ' or more' : '';
  return `1 of ${fit}${more} fitting ${fit === 1 ? 'host' : 'hosts'} chosen among ${hostCount}${tail}`;
}

function lostClaims(claim: ClaimStage | undefined): string {
  if (!claim) return 'claims failed';
  const lost = Object.values(claim.reasons).reduce((a, b) => a + b, 0);
  return `${count(claim.hosts, 'host')} could take it when asked, but ${count(lost, 'claim')} came too late`;
}

/** "4 disabled", "6 lack X", … in the order of the stages. What Placement removed uncounted is named as such. */
function phrases(stages: readonly Stage[], hostCount: number): string[] {
  const parts: string[] = [];
  let counted = 0;
  for (const stage of stages) {
    if (stage.stage === 'placement') {
      counted += Math.max(0, stage.in - stage.out);
      parts.push(...placementPhrase(stage, hostCount));
    } else if (stage.stage === 'candidates') {
      const left = stage.limited ? 0 : stage.in - stage.out - counted;
      const absent = absentClasses(stages);
      if (left > 0 && absent) parts.push(`${left} have no ${absent}`);
      else if (left > 0) parts.push(`${left} without room or a required property`);
    } else if (stage.stage === 'filter') {
      parts.push(...Object.entries(stage.reasons).map(([code, n]) => `${n} ${PHRASES.get(code) ?? code}`));
    }
  }
  return parts;
}

/** Resource classes that no provider was found to have at all. */
function absentClasses(stages: readonly Stage[]): string {
  const names = stages.flatMap((s) =>
    s.stage === 'placement' && s.check === 'resource' && s.in === 0 ? [s.detail.split(':')[0] ?? ''] : [],
  );
  return [...new Set(names)].join(' or ');
}

function placementPhrase(stage: PlacementStage, hostCount: number): string[] {
  const lost = stage.in - stage.out;
  if (lost <= 0) return [];
  // a check on providers of nested trees may count more of them than there are hosts
  const who = stage.in > hostCount ? `${lost} providers` : `${lost}`;
  return [`${who} ${placementWords(stage)}`];
}

function placementWords({ check, detail, best }: PlacementStage): string {
  switch (check) {
    case 'root_forbidden':
    case 'forbidden':
      return detail === 'COMPUTE_STATUS_DISABLED' ? 'disabled' : `have ${detail}, which is not wanted`;
    case 'root_required':
    case 'required':
      return `lack ${detail}`;
    case 'any_of':
      return `lack each of ${detail}`;
    case 'inventory':
      return `have no inventory of all that is asked for (${detail})`;
    case 'resource': {
      const [name, amount] = detail.split(':');
      return `lack ${name} (need ${amount}${best ? `, best free ${best.free}` : ''})`;
    }
    case 'member_of':
      return 'outside the availability zone or aggregates asked for';
    case 'not_member_of':
      return 'in aggregates closed to this request';
    case 'in_tree':
      return 'not the host asked for';
    case 'group_policy':
      return 'cannot keep the request groups on providers of their own';
    case 'nested':
      return 'without a tree of providers that is asked for';
    case 'same_subtree':
      return 'cannot keep the request groups in one subtree';
    default:
      return 'lack room for all of the request together';
  }
}

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;
const shorten = (text: string): string => (text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH - 1)}…`);
