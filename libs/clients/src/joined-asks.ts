/**
 * The same question, asked by many at once, as few asks. Who comes while an answer is on its way does not get that one,
 * which may be older than the coming, but shares the next with all others who wait. So everybody hears a state of after
 * they asked, as if alone; at most one ask of a kind is under way, and one asker alone waits for nobody.
 */
interface Line<T> {
  readonly running: Promise<T>;
  next?: Promise<T>;
}

export class JoinedAsks<T> {
  private readonly lines = new Map<string, Line<T>>();

  /** `send` is run by the first of those who share it. */
  ask(key: string, send: () => Promise<T>): Promise<T> {
    const line = this.lines.get(key);
    if (!line) return this.start(key, send);
    const start = (): Promise<T> => this.start(key, send);
    return (line.next ??= line.running.then(start, start));
  }

  private start(key: string, send: () => Promise<T>): Promise<T> {
    const line: Line<T> = { running: send() };
    this.lines.set(key, line);
    const end = (): void => {
      if (this.lines.get(key) === line && !line.next) this.lines.delete(key);
    };
    line.running.then(end, end);
    return line.running;
  }
}
