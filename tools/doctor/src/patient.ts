/** The cloud that is looked at: each part is opened when a check first asks for it, once, and closed at the end. */
import type { Database } from '@fractus/database';
import { type CloudPlaces, openBroker, openCompute } from '@fractus/operator';
import { type RabbitTransport, rpcClient } from '@fractus/rpc';
import { type Client, conductorContract, placementContract } from '@fractus/rpc-contracts';

export interface PatientOptions {
  /** Milliseconds without a sign of life after which a service counts as down, as conductors have it. */
  readonly serviceDownMs: number;
  /** Whether reconcilers may be run. */
  readonly reconcile: boolean;
}

export class Patient {
  private database: Promise<Database> | undefined;
  private transport: Promise<RabbitTransport> | undefined;

  constructor(
    readonly places: CloudPlaces,
    readonly options: PatientOptions,
    readonly clock: () => number = Date.now,
  ) {}

  compute(): Promise<Database> {
    return (this.database ??= openCompute(this.places));
  }

  broker(): Promise<RabbitTransport> {
    return (this.transport ??= openBroker(this.places, 'doctor'));
  }

  async placement(): Promise<Client<typeof placementContract>> {
    return rpcClient(await this.broker(), placementContract);
  }

  async conductor(): Promise<Client<typeof conductorContract>> {
    return rpcClient(await this.broker(), conductorContract);
  }

  async close(): Promise<void> {
    const open = [this.database, this.transport];
    await Promise.all(open.map(async (part) => (await part?.catch(() => undefined))?.close()));
  }
}
