/**
 * Work shared by the undoing of a build and by delete: no guest of the server is left on any host that an operation
 * was ever sent to. One host after the other, each destroy an attempt of its own.
 *
 * A host that is down, unreachable or silent is left: when its agent returns it asks conductor about its guests before
 * it consumes anything, and a build it finishes late is answered with a destroy (see handlers/operations).
 */
import { serviceIsUp } from '@fractus/compute-db';
import { hostsNamed } from '../engine/engine-state';
import type { Answer, Outcome, StepContext, StepWork } from '../engine/task-definition';

export interface DestroyState {
  /** Hosts that have no guest of the server any more. */
  readonly destroyed?: readonly string[];
  /** Hosts that were left to clean up when they return. */
  readonly left?: readonly string[];
  readonly destroyFailures?: number;
  readonly destroySilences?: number;
  /** The host that a destroy was sent to last. */
  readonly destroying?: string;
}
type X = StepContext<DestroyState>;

const MAX_FAILURES = 3;
/** A lost message is asked for once more before the host counts as gone. */
const MAX_SILENCES = 1;

export interface DestroyOptions {
  readonly forever: boolean;
  /** Hosts beside those that this task named itself. */
  readonly furtherHosts?: (x: X) => Promise<readonly string[]>;
}

export function destroyGuests<S extends DestroyState>(options: DestroyOptions): StepWork<S> {
  const work: StepWork<DestroyState> = {
    run: (x) => destroyNext(x, options),
    answered: (x, answer) => destroyed(x, answer, options),
    silent: (x) => silent(x, options),
    unreachable: (x) => leave(x, options),
  };
  return work as unknown as StepWork<S>;
}

async function destroyNext(x: X, options: DestroyOptions): Promise<Outcome<DestroyState>> {
  const { state, tools } = x;
  const further = (await options.furtherHosts?.(x)) ?? [];
  const done = new Set([...(state.destroyed ?? []), ...(state.left ?? [])]);
  const pending = [...new Set([...hostsNamed(state), ...further])].filter((host) => !done.has(host));
  const services = await tools.hosts.computeServices(pending);
  const up = pending.filter((host) => {
    const service = services.get(host);
    return service && serviceIsUp(service, tools.clock(), tools.settings.serviceDownMs);
  });
  const left = [...(state.left ?? []), ...pending.filter((host) => !up.includes(host))];
  const host = up[0];
  if (host === undefined) return { kind: 'next', state: { left } };
  return {
    kind: 'wait',
    host,
    state: { left, destroying: host },
    send: (operation, ctx) => tools.compute.on(host).destroy(ctx, { operation, forever: options.forever }),
  };
}

function destroyed(
  x: X,
  answer: Answer,
  options: DestroyOptions,
): Promise<Outcome<DestroyState>> | Outcome<DestroyState> {
  if (answer.outcome === 'done' || answer.error?.code === 'guest.not_found') {
    const hosts = [...(x.state.destroyed ?? []), ...(x.state.destroying ? [x.state.destroying] : [])];
    return onward(x, { destroyed: hosts, destroyFailures: 0, destroySilences: 0 }, options);
  }
  const failures = (x.state.destroyFailures ?? 0) + 1;
  if (failures < MAX_FAILURES) return again(x, { destroyFailures: failures });
  const message = answer.error?.message ?? 'The host gave no reason';
  return {
    kind: 'fail',
    failure: {
      code: answer.error?.code ?? 'driver.unknown',
      message,
      details: `destroy failed ${failures} times`,
      ...(x.state.destroying ? { host: x.state.destroying } : {}),
    },
  };
}

function silent(x: X, options: DestroyOptions): Promise<Outcome<DestroyState>> | Outcome<DestroyState> {
  const silences = (x.state.destroySilences ?? 0) + 1;
  return silences <= MAX_SILENCES ? again(x, { destroySilences: silences }) : leave(x, options);
}

function leave(x: X, options: DestroyOptions): Promise<Outcome<DestroyState>> {
  const left = [...(x.state.left ?? []), ...(x.state.destroying ? [x.state.destroying] : [])];
  return onward(x, { left, destroyFailures: 0, destroySilences: 0 }, options);
}

/** To the next host as a new attempt; the step is done when there is none. */
async function onward(x: X, state: Partial<DestroyState>, options: DestroyOptions): Promise<Outcome<DestroyState>> {
  const now = { ...x.state, ...state };
  const further = (await options.furtherHosts?.(x)) ?? [];
  const done = new Set([...(now.destroyed ?? []), ...(now.left ?? [])]);
  const more = [...hostsNamed(now), ...further].some((host) => !done.has(host));
  return more ? again(x, state) : { kind: 'next', state };
}

const again = (x: X, state: Partial<DestroyState>): Outcome<DestroyState> => ({
  kind: 'again',
  step: stepName(x),
  state,
});
const stepName = (x: X): string => x.task.step.replace(/:undo$/, '');
