export { createRabbitTransport, type RabbitTransport } from './rabbit-transport';
export type { RabbitOptions } from './options';
