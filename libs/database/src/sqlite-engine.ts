/** SQLite by better-sqlite3: one connection that writes, a second, read-only one for reads outside a unit of work. */
import type { DataSource, QueryRunner } from 'typeorm';
import { internal } from '@fractus/objects';
import type { Engine, Session, SqlValue, Written } from './engine';

export class SqliteEngine implements Engine {
  readonly dialect = 'sqlite';

  constructor(
    private readonly writer: DataSource,
    /** The writer itself for a database in memory. */
    private readonly reader: DataSource,
  ) {}

  async read(sql: string, params: SqlValue[]): Promise<unknown[]> {
    return (await this.reader.query(sql, bindable(params))) as unknown[];
  }

  async execute(sql: string, params: SqlValue[]): Promise<Written> {
    const runner = this.writer.createQueryRunner();
    try {
      return await written(runner, sql, params);
    } finally {
      await runner.release();
    }
  }

  async begin(): Promise<Session> {
    const runner = this.writer.createQueryRunner();
    await runner.query('BEGIN IMMEDIATE');
    return new SqliteSession(runner);
  }

  async close(): Promise<void> {
    if (this.reader !== this.writer) await this.reader.destroy();
    await this.writer.destroy();
  }
}

class SqliteSession implements Session {
  private over = false;

  constructor(private readonly runner: QueryRunner) {}

  async query(sql: string, params: SqlValue[]): Promise<unknown[]> {
    this.refuseIfOver();
    return (await this.runner.query(sql, bindable(params))) as unknown[];
  }

  async execute(sql: string, params: SqlValue[]): Promise<Written> {
    this.refuseIfOver();
    return written(this.runner, sql, params);
  }

  async commit(): Promise<void> {
    await this.runner.query('COMMIT');
    this.over = true;
    await this.runner.release();
  }

  async rollback(): Promise<void> {
    this.over = true;
    await this.runner.query('ROLLBACK').catch(() => undefined);
    await this.runner.release();
  }

  private refuseIfOver(): void {
    if (this.over) throw internal('a statement after the end of its unit of work', { code: 'database.unit_over' });
  }
}

async function written(runner: QueryRunner, sql: string, params: SqlValue[]): Promise<Written> {
  const out = await runner.query(sql, bindable(params), true);
  return { affected: out.affected ?? 0, insertId: Number(out.raw ?? 0) };
}

const bindable = (params: SqlValue[]): unknown[] => params.map((v) => (typeof v === 'boolean' ? Number(v) : v));
