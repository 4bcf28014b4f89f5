import { describeTransportContract } from '../testing';
import type { RabbitTransport } from './rabbit-transport';
import { describeWithBroker } from './testing/broker';

jest.setTimeout(30_000);

describeWithBroker('RabbitMQ', (broker) => {
  describeTransportContract('RabbitMQ', async ({ retryDelayMs, ...limits }) => {
    const prefix = broker.prefix();
    const transports: RabbitTransport[] = [];
    return {
      connect: async ({ user } = {}) => {
        const urls = [user === undefined ? broker.url : await broker.user(user)];
        const transport = broker.transport({ prefix, urls, ...limits, retryDelayMs: () => retryDelayMs });
        transports.push(transport);
        await transport.ready();
        return transport;
      },
      close: async () => void (await Promise.all(transports.map((t) => t.close()))),
    };
  });
});
