declare const brand: unique symbol;
type Branded<T, B extends string> = T & { readonly [brand]?: B };

/** Branded ids: one entity's id cannot be passed where another's is wanted once both are branded. */
export type ServerId = Branded<string, 'ServerId'>;
export type HostName = Branded<string, 'HostName'>;
export type ProjectId = Branded<string, 'ProjectId'>;
export type UserId = Branded<string, 'UserId'>;
export type TaskId = Branded<string, 'TaskId'>;
export type ProviderId = Branded<string, 'ProviderId'>;
export type ConsumerId = Branded<string, 'ConsumerId'>;
