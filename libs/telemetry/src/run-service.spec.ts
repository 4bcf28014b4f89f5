import { owning } from './run-service';

describe('owning', () => {
  it('closes the service first, then what it stood on, in order', async () => {
    const closed: string[] = [];
    const part = (name: string) => ({ close: async () => void closed.push(name) });
    const service = { name: 'desk', url: 'http://desk', ready: async () => [], ...part('desk') };
    const whole = owning(service, part('transport'), part('database'));
    expect(whole).toMatchObject({ name: 'desk', url: 'http://desk' });
    await whole.close();
    expect(closed).toEqual(['desk', 'transport', 'database']);
  });
});
