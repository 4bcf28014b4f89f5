import type { INestApplicationContext } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { MessageHandler } from '@nestjs/microservices';
import type { Contract } from '@fractus/rpc-contracts';
import { contractsOf, patternOf } from './handlers';
import { RpcServer, type RpcServerOptions } from './server';
import type { RpcTransport } from './transport';

export interface RpcServing {
  /** Starts to serve a host. Rejects with `conflict` when another live process serves it. */
  addHost(host: string): Promise<void>;
  /** New messages to the host are unroutable; those already queued are still handled. */
  removeHost(host: string): Promise<void>;
  /** Takes nothing more, waits for what runs (at most `drainMs`), delivers the replies, ends. */
  close(): Promise<void>;
  /** For tests: ends as a crash would; casts in hand are redelivered, calls in hand are never answered. */
  kill(): Promise<void>;
}

/**
 * Serves the contracts with the app's controllers that carry `@RpcHandlers`. Works for an HTTP application and for a
 * plain application context alike. Rejects when a contract has no controller, two of them, or one without the method.
 */
export async function serveRpc(
  app: INestApplicationContext,
  transport: RpcTransport,
  options: RpcServerOptions,
): Promise<RpcServing> {
  const server = new RpcServer(transport, options);
  for (const contract of options.contracts) bindController(server, contract, controllerOf(app, contract));
  await server.start();
  return {
    addHost: (host) => server.addHost(host),
    removeHost: (host) => server.removeHost(host),
    close: () => server.close(),
    kill: () => server.kill(),
  };
}

type Methods = Record<string, unknown>;

function controllerOf(app: INestApplicationContext, contract: Contract): Methods {
  const found = new Map<unknown, string>();
  for (const module of app.get(ModulesContainer).values()) {
    for (const { metatype, instance, name } of module.controllers.values()) {
      if (metatype && contractsOf(metatype).includes(contract)) found.set(instance, String(name));
    }
  }
  const [first, second] = found;
  if (!first) throw new TypeError(`no controller has @RpcHandlers for the contract ${contract.topic}`);
  if (second) throw new TypeError(`${first[1]} and ${second[1]} both handle the contract ${contract.topic}`);
  return first[0] as Methods;
}

function bindController(server: RpcServer, contract: Contract, controller: Methods): void {
  for (const [name, spec] of Object.entries(contract.methods)) {
    const method = controller[name];
    if (typeof method !== 'function') throw new TypeError(`no method handles ${patternOf(contract, name)}`);
    const handler = method.bind(controller) as MessageHandler;
    server.addHandler(patternOf(contract, name), handler, spec.kind !== 'call');
  }
}
