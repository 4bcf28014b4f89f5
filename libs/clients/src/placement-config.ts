/**
 * Where Placement is. By default the services ask their own, over RPC; `PLACEMENT_ENDPOINT` makes them ask the one at
 * that address over REST. `FRACTUS_PLACEMENT_ENDPOINT` holds for all services, and they must all be told the same.
 */
import { IsOptional, IsString, IsUrl, MinLength, ValidateIf } from 'class-validator';
import { Option } from '@fractus/config';
import { invalid } from '@fractus/objects';
import { callerSession, type OptionalCallerConfig } from './caller-config';
import { PlacementClient, type FenceOf, type PlacementClientOptions } from './placement-client';
import { CATALOG } from './placement-api';
import type { ServiceSession } from './service-session';

export class PlacementAtConfig {
  @Option({
    optional: true,
    describe:
      "URL of a Placement that is asked over REST (1.36 or later), or catalog for that of identity's catalog. Absent: our own, over RPC.",
  })
  @ValidateIf((c: PlacementAtConfig) => c.endpoint !== undefined && c.endpoint !== CATALOG)
  @IsUrl(
    { require_tld: false, require_protocol: true, protocols: ['http', 'https'] },
    { message: 'endpoint must be an http or https URL, or catalog' },
  )
  endpoint?: string;

  @Option({
    optional: true,
    secret: true,
    describe:
      'Token that is sent as it is, for a Placement there without identity (noauth2). Absent: the service user.',
  })
  @IsOptional()
  @IsString()
  @MinLength(1)
  token?: string;
}

/**
 * The session that a service asks Placement with, where it has none for other purposes; undefined where it needs none.
 * @throws invalid `config.invalid` that lists what is missing for it.
 */
export function placementSession(
  { endpoint, token }: Readonly<PlacementAtConfig>,
  caller: Readonly<OptionalCallerConfig>,
): ServiceSession | undefined {
  if (endpoint === undefined || (token !== undefined && endpoint !== CATALOG)) return undefined;
  const { authUrl, password } = caller;
  if (authUrl !== undefined && password !== undefined) return callerSession({ ...caller, authUrl, password });
  const missing = { AUTH_URL: authUrl, PASSWORD: password };
  const names = Object.entries(missing).flatMap(([name, value]) => (value === undefined ? [name] : []));
  const errors = names.map((name) => `placement.endpoint needs a service user: set ${name}`);
  if (endpoint !== CATALOG) errors.push('or placement.token, where Placement asks for no identity (noauth2)');
  throw invalid(`invalid configuration:\n${errors.map((e) => `  - ${e}`).join('\n')}`, {
    code: 'config.invalid',
    details: { errors },
  });
}

export interface PlacementElsewhere {
  readonly config: Readonly<PlacementAtConfig>;
  /** As whom; see `placementSession`. */
  readonly session?: ServiceSession;
  readonly fenceOf?: FenceOf;
  readonly logger?: PlacementClientOptions['logger'];
  readonly assertOutsideTransaction?: (what: string) => void;
}

/** How a process opens its parts: it waits for what cannot be reached, and closes it at its end. */
type Open = <T extends { close(): Promise<void> }>(part: string, open: () => T | Promise<T>) => Promise<T>;

/** What a service's start is handed beside its other parts: a Placement elsewhere, opened. Empty where ours is meant. */
export async function openPlacementElsewhere(
  open: Open,
  { config, session, fenceOf, logger, assertOutsideTransaction }: PlacementElsewhere,
): Promise<{ placement?: PlacementClient }> {
  const { endpoint, token } = config;
  if (endpoint === undefined) return {};
  const client = new PlacementClient({ endpoint, token, session, fenceOf, logger, assertOutsideTransaction });
  return { placement: await open('Placement', () => client.open()) };
}
