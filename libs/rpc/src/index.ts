export * from './transport';
export { rpcClient, rpcHostClient, type RpcClientOptions } from './client';
export { RpcClientProxy, type RpcPacket } from './client-proxy';
export { RpcHandlers } from './handlers';
export { deliveryOf, type DeliveryInfo } from './delivery-info';
export { RpcServer, type RpcServerOptions } from './server';
export { serveRpc, type RpcServing } from './serve';
export { createInProcessTransport, type InProcessOptions, type InProcessTransport } from './in-process';
export { createRabbitTransport, type RabbitOptions, type RabbitTransport } from './rabbitmq';
