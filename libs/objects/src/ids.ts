declare const brand: unique symbol;
type Branded<T, B extends string> = T & { readonly [brand]?: B };

/**
 * Branded ids: a branded id does not pass where another kind is wanted, so that the compiler catches swapped arguments.
 * A plain string passes for any of them: rows, wire and tests need no casts.
 */
export type ServerId = Branded<string, 'ServerId'>;
export type HostName = Branded<string, 'HostName'>;
export type ProjectId = Branded<string, 'ProjectId'>;
export type UserId = Branded<string, 'UserId'>;
export type TaskId = Branded<string, 'TaskId'>;
