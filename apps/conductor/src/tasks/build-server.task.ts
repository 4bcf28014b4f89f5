/**
 * Builds a server.
 *
 * | step     | does                                              | undo                              | silence |
 * |----------|---------------------------------------------------|-----------------------------------|---------|
 * | schedule | claims an alternate, or asks the scheduler anew   | deletes the server's allocations  | –       |
 * | ports    | makes or binds ports on the host                  | deletes or unbinds them           | –       |
 * | spawn    | has the host's agent build the guest              | destroys it on every host named   | 300 s   |
 *
 * A host that cannot build it (`retryElsewhere`) sends the task back to `schedule` with the next alternate, at most
 * `maxBuildAttempts` hosts in all. A host that falls silent does not: the guest might run there, and a second one
 * elsewhere must never be.
 */
import { FractusError, conflict, isFractusError } from '@fractus/objects';
import type { Destination, GuestNic, GuestSpec, Selection } from '@fractus/rpc-contracts';
import { actionRow } from '@fractus/server-lifecycle';
import { type Answer, type Outcome, type StepContext, type TaskFailure, defineTask } from '../engine/task-definition';
import { isPassing } from '../engine/failures';
import { recordRetries } from './record-retries';
import { destroyGuests, type DestroyState } from './destroy-guests';

interface Attempt {
  readonly host: string;
  /** Of the driver's error; stories begun before there were codes have none. */
  readonly code?: string;
  readonly message: string;
}
interface BuildState extends DestroyState {
  readonly destination?: Destination;
  readonly alternates?: readonly Destination[];
  /** Hosts that could not, and what they said. */
  readonly story?: readonly Attempt[];
  readonly nics?: readonly GuestNic[];
}
type X = StepContext<BuildState>;

const silenceSeconds = actionRow('create').silenceSeconds;

export const buildServer = defineTask<BuildState>({
  type: 'build-server',
  steps: [
    {
      name: 'schedule',
      do: { run: schedule },
      undo: { run: unclaim },
      silenceSeconds: 0,
      event: 'conductor_schedule_and_build_instances',
    },
    { name: 'ports', do: { run: ports }, undo: { run: releasePorts }, silenceSeconds: 0 },
    {
      name: 'spawn',
      do: { run: spawn, answered: spawned },
      undo: destroyGuests({ forever: false }),
      silenceSeconds,
      event: 'compute__do_build_and_run_instance',
    },
  ],
  patch: (x, ended, now) =>
    ended === 'done'
      ? { powerState: 1, progress: 100, launchedAt: now }
      : { powerState: 0, progress: 0, host: null, node: null, nodeId: null, nics: [] },
});

async function schedule(x: X): Promise<Outcome<BuildState>> {
  const { state, task, server, tools, ctx } = x;
  const claimed = await claimAlternate(x, state.alternates ?? []);
  if (claimed) return placed(claimed.destination, claimed.rest);
  const selection = await tools.scheduler.selectDestinations(ctx, {
    serverId: server.id,
    taskId: task.id,
    fence: task.fence,
    operation: 'create',
    spec: await tools.servers.requestSpec(server.id),
    excludeHosts: (state.story ?? []).map((a) => a.host),
    alternates: tools.settings.alternates,
  });
  const { destination, alternates } = selection;
  if (selection.outcome !== 'selected' || !destination) {
    if (state.story && state.story.length > 0) await recordRetries(x, state.story);
    return { kind: 'fail', failure: noValidHost(x, selection) };
  }
  return placed(destination, alternates);
}

const placed = (destination: Destination, alternates: readonly Destination[]): Outcome<BuildState> => ({
  kind: 'next',
  state: { destination, alternates },
  server: { taskState: 'networking', progress: 10 },
});

/** The first alternate that still has room; what the failed host held is given up in the same write. */
async function claimAlternate(
  { ctx, task, server, tools }: X,
  alternates: readonly Destination[],
): Promise<{ destination: Destination; rest: readonly Destination[] } | null> {
  for (const [i, destination] of alternates.entries()) {
    try {
      const owner = { taskId: task.id, fence: task.fence };
      const { allocations } = destination;
      await tools.placement.writeAllocations(ctx, {
        consumers: [
          {
            consumerId: server.id,
            projectId: server.projectId,
            userId: server.userId,
            consumerType: 'INSTANCE',
            allocations,
            owner,
          },
        ],
      });
      return { destination, rest: alternates.slice(i + 1) };
    } catch (e) {
      // full or changed meanwhile: the next one; a claim by a later task, or a passing trouble, is not ours to skip
      if (isPassing(e) || !isFractusError(e, 'conflict', 'invalid') || (e as FractusError).code === 'claim.stale_fence')
        throw e;
    }
  }
  return null;
}

async function ports({ ctx, server, state, tools, proveLease }: X): Promise<Outcome<BuildState>> {
  const { host } = chosen(state);
  const nics = await tools.network.ensurePorts(ctx, server, host, proveLease);
  return { kind: 'next', state: { nics }, server: { nics, taskState: 'spawning' } };
}

function spawn({ task, server, state, tools }: X): Outcome<BuildState> {
  const { host, node, nodeId } = chosen(state);
  const guest = guestOf({ task, server, state });
  return {
    kind: 'wait',
    host,
    server: { host, node, nodeId },
    send: (operation, ctx) => tools.compute.on(host).build(ctx, { operation, guest }),
  };
}

async function spawned(x: X, answer: Answer): Promise<Outcome<BuildState>> {
  if (answer.outcome === 'done') return { kind: 'next' };
  const { host } = chosen(x.state);
  const error = answer.error ?? { code: 'driver.unknown', message: 'The host gave no reason', retryElsewhere: false };
  const story = [...(x.state.story ?? []), { host, code: error.code, message: error.message }];
  if (error.retryElsewhere && story.length < x.tools.settings.maxBuildAttempts) {
    const nowhere = { host: null, node: null, nodeId: null, taskState: 'scheduling', progress: 0 } as const;
    return { kind: 'again', step: 'schedule', state: { story, destination: undefined }, server: nowhere };
  }
  if (error.retryElsewhere) await recordRetries(x, story);
  const reason = `Build of instance ${x.server.id} aborted: ${error.message}`;
  const message = error.retryElsewhere
    ? `Exceeded maximum number of retries. The build failed on ${story.length} hosts; the last said: ${error.message}`
    : reason;
  return { kind: 'fail', failure: { code: error.code, message, details: tell(story), host } };
}

async function unclaim({ ctx, task, server, tools }: X): Promise<Outcome<BuildState>> {
  await tools.placement.deleteAllocations(ctx, {
    consumerId: server.id,
    owner: { taskId: task.id, fence: task.fence },
  });
  return { kind: 'next' };
}

async function releasePorts({ ctx, server, tools }: X): Promise<Outcome<BuildState>> {
  await tools.network.releasePorts(ctx, server);
  return { kind: 'next' };
}

/** Upstream's sentence first: clients match on it. */
function noValidHost({ state }: X, { summary, outcome, kind = outcome }: Selection): TaskFailure {
  const story = state.story ?? [];
  const tried = story.length === 0 ? '' : ` ${story.length} hosts were tried and failed.`;
  const details = story.length === 0 ? summary : `${summary}\n${tell(story)}`;
  return {
    code: `schedule.${kind}`,
    message: `No valid host was found. There are not enough hosts available. ${summary}${tried}`,
    details,
  };
}

const tell = (story: readonly Attempt[]): string => story.map((a) => `${a.host}: ${a.message}`).join('\n');

function chosen(state: BuildState): Destination {
  if (!state.destination) throw conflict('no destination was chosen', { code: 'task.state' });
  return state.destination;
}

function guestOf({ task, server, state }: Pick<X, 'task' | 'server' | 'state'>): GuestSpec {
  const password = task.input['adminPassword'];
  return {
    serverId: server.id,
    name: server.name,
    hostname: server.hostname,
    projectId: server.projectId,
    userId: server.userId,
    flavor: server.flavor,
    image: server.image,
    nics: [...(state.nics ?? [])],
    metadata: { ...server.metadata },
    keyName: server.keyName,
    publicKey: server.keyData,
    userData: server.userData,
    configDrive: server.configDrive,
    adminPassword: typeof password === 'string' ? password : null,
    availabilityZone: server.availabilityZone,
    allocations: chosen(state).allocations,
  };
}
