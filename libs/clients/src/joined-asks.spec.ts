import { JoinedAsks } from './joined-asks';

/** A world whose state is told by hand, to asks that are answered by hand. */
class World {
  state = 0;
  readonly open: { answer(): void; fail(): void }[] = [];
  readonly asks = new JoinedAsks<number>();
  sent = 0;

  ask(key = 'k'): Promise<number> {
    return this.asks.ask(key, () => {
      this.sent++;
      // what it will be told is what is true as it is sent: the oldest that an answer may be
      const told = this.state;
      return new Promise((resolve, reject) =>
        this.open.push({ answer: () => resolve(told), fail: () => reject(new Error('refused')) }),
      );
    });
  }

  /** Answers the oldest open ask. */
  async answer(how: 'answer' | 'fail' = 'answer'): Promise<void> {
    this.open.shift()?.[how]();
    await new Promise(setImmediate);
  }
}

describe('joined asks', () => {
  it('are sent at once where nobody else asks', async () => {
    const world = new World();
    for (const n of [1, 2, 3]) {
      const asked = world.ask();
      expect(world.sent).toBe(n);
      await world.answer();
      expect(await asked).toBe(0);
    }
  });

  it('give everybody a state of after they asked, by one ask at a time', async () => {
    const world = new World();
    const first = world.ask();
    world.state = 1;
    const rest = Array.from({ length: 20 }, () => world.ask());
    expect(world.sent).toBe(1);
    await world.answer();
    expect(world.sent).toBe(2);
    world.state = 2;
    const late = [world.ask(), world.ask()];
    await world.answer();
    await world.answer();
    expect([await first, ...new Set(await Promise.all(rest)), ...(await Promise.all(late)), world.sent]).toEqual([0, 1, 2, 2, 3]); // prettier-ignore
  });

  it('of different keys do not wait for each other', () => {
    const world = new World();
    void world.ask('a');
    void world.ask('b');
    expect(world.sent).toBe(2);
  });

  it('fail for those alone who shared the ask that failed', async () => {
    const world = new World();
    const first = world.ask();
    const second = world.ask();
    const failing = expect(first).rejects.toThrow('refused');
    await world.answer('fail');
    await failing;
    await world.answer();
    expect(await second).toBe(0);
    const third = world.ask();
    expect(world.sent).toBe(3);
    await world.answer();
    expect(await third).toBe(0);
  });
});
