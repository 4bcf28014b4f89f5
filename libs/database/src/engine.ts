/** What the unit of work needs of a database; one implementation a dialect. */
export type Dialect = 'sqlite' | 'mysql';
export type SqlValue = string | number | bigint | boolean | null | Buffer | undefined;
export type SqlRow = Record<string, SqlValue>;

export interface Written {
  /** Rows that the WHERE matched (not: rows that changed), on both dialects. */
  readonly affected: number;
  /** First generated id of the statement. */
  readonly insertId: number;
}

/** One connection with one open transaction. After `commit` or `rollback` it is over. */
export interface Session {
  query(sql: string, params: SqlValue[]): Promise<unknown[]>;
  execute(sql: string, params: SqlValue[]): Promise<Written>;
  /** Throws: `refused` is false where the commit may have been done although it could not be confirmed. */
  commit(): Promise<void>;
  /** Never throws; a connection that cannot be trusted any more is thrown away. */
  rollback(): Promise<void>;
}

export class CommitLost extends Error {
  constructor(
    override readonly cause: unknown,
    /** Makes sure that the database has finished with the lost transaction, one way or the other. */
    readonly bury: () => Promise<void>,
  ) {
    super('the connection was lost during COMMIT');
  }
}

export interface Engine {
  readonly dialect: Dialect;
  /** A read outside of any unit of work: the last committed state. */
  read(sql: string, params: SqlValue[]): Promise<unknown[]>;
  /** One statement that is a transaction by itself. Throws `CommitLost` where it may have been done. */
  execute(sql: string, params: SqlValue[]): Promise<Written>;
  /** `snapshot`: all reads of the session see one state of the database, and it writes nothing. */
  begin(kind: 'write' | 'snapshot'): Promise<Session>;
  close(): Promise<void>;
}
