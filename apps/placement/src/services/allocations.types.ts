/** In whose name a claim is written. */
export interface ClaimOwner {
  readonly taskId: string;
  readonly fence: number;
}

/** What one consumer is to hold from now on; it replaces all that it held. */
export interface ConsumerWrite {
  readonly uuid: string;
  /** Null: must not exist. Undefined: not checked. */
  readonly generation?: number | null;
  readonly projectId: string;
  readonly userId: string;
  /** Undefined keeps what is there. */
  readonly consumerType?: string;
  /** Provider uuid → resource class → units. Empty: nothing any more. */
  readonly allocations: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly owner?: ClaimOwner;
}

export interface Consumer {
  readonly uuid: string;
  readonly generation: number;
  readonly projectId: string;
  readonly userId: string;
  readonly consumerType: string | null;
  readonly updatedAt: number;
  /** Provider uuid → what is held there and the provider's generation. */
  readonly allocations: ReadonlyMap<
    string,
    { readonly generation: number; readonly resources: ReadonlyMap<string, number> }
  >;
}

/** Stands for project and user of consumers written before 1.8. */
export const INCOMPLETE_ID = '00000000-0000-0000-0000-000000000000';
