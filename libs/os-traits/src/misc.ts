/** Behaviour of a provider rather than of hardware. */
export const MISC_TRAITS = ['MISC_SHARES_VIA_AGGREGATE'] as const;
