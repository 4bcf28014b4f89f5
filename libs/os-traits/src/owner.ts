/** Which service owns a provider. */
export const OWNER_TRAITS = ['OWNER_CYBORG', 'OWNER_NOVA'] as const;
