import { FractusError, type ErrorKind, type ErrorOptions } from '@fractus/objects';

/** What can go wrong in a driver. `retryElsewhere`: another host might do better, so a build is tried on an alternate. */
const DRIVER_ERRORS = {
  /** The hypervisor could not make the guest. */
  'driver.spawn': { kind: 'internal', retryElsewhere: true },
  /** The host has not the room, whatever Placement believed. */
  'driver.capacity': { kind: 'conflict', retryElsewhere: true },
  /** An operation on a guest that exists failed. */
  'driver.operation': { kind: 'internal', retryElsewhere: false },
  /** The hypervisor does not answer. */
  'driver.unavailable': { kind: 'unavailable', retryElsewhere: true },
  /** This driver, or this host, cannot do it. */
  'driver.unsupported': { kind: 'unimplemented', retryElsewhere: true },
  /** The guest's power state does not allow it. */
  'driver.power_state': { kind: 'conflict', retryElsewhere: false },
  /** Whoever asked has taken it back. */
  'driver.aborted': { kind: 'conflict', retryElsewhere: false },
  'guest.not_found': { kind: 'not_found', retryElsewhere: false },
  'host.not_found': { kind: 'not_found', retryElsewhere: false },
} as const satisfies Record<string, { kind: ErrorKind; retryElsewhere: boolean }>;

export type DriverErrorCode = keyof typeof DRIVER_ERRORS;

/** An error of a driver. The message is shown to the server's owner: no paths, no addresses, no stack. */
export class DriverError extends FractusError {
  readonly retryElsewhere: boolean;

  constructor(
    override readonly code: DriverErrorCode,
    message: string,
    options: Omit<ErrorOptions, 'code'> & { retryElsewhere?: boolean } = {},
  ) {
    const { retryElsewhere, ...rest } = options;
    super(DRIVER_ERRORS[code].kind, message, { ...rest, code });
    this.retryElsewhere = retryElsewhere ?? DRIVER_ERRORS[code].retryElsewhere;
  }
}

export function isDriverError(e: unknown, ...codes: DriverErrorCode[]): e is DriverError {
  const is = e instanceof Error && 'retryElsewhere' in e && 'code' in e;
  return is && (codes.length === 0 || codes.includes((e as DriverError).code));
}

export const guestNotFound = (host: string, serverId: string): DriverError =>
  new DriverError('guest.not_found', `There is no guest of server ${serverId} on host ${host}.`);
export const hostNotFound = (host: string): DriverError =>
  new DriverError('host.not_found', `This driver does not serve a host named ${host}.`);
export const aborted = (what: string): DriverError => new DriverError('driver.aborted', `${what} was called off.`);
