/** `?, ?, ?` for as many values, to stand in `IN (…)`. Not for an empty list: `IN ()` is no SQL. */
export const placeholders = (values: readonly unknown[]): string => values.map(() => '?').join(', ');
