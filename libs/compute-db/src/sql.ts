import { placeholders, type SqlRow, type SqlValue, type Tx } from '@fractus/database';

/** `a = ?, b = ?` with its parameters. */
export function assignments(columns: SqlRow): [sql: string, params: SqlValue[]] {
  const names = Object.keys(columns);
  return [names.map((c) => `${c} = ?`).join(', '), names.map((c) => columns[c])];
}

/** `column = ?`, or `column IS NULL`, for a value that may be null. */
export function nullSafe(column: string, value: SqlValue): [sql: string, params: SqlValue[]] {
  return value === null || value === undefined ? [`${column} IS NULL`, []] : [`${column} = ?`, [value]];
}

/** `column IN (?, ?)`; an empty list matches nothing. */
export function within(column: string, values: readonly SqlValue[]): [sql: string, params: SqlValue[]] {
  if (values.length === 0) return ['1 = 0', []];
  return [`${column} IN (${placeholders(values)})`, [...values]];
}

/** Ends a SELECT that locks its rows until the commit, where the database has row locks (SQLite locks as a whole). */
export const forUpdate = (tx: Tx): string => (tx.dialect === 'mysql' ? ' FOR UPDATE' : '');
