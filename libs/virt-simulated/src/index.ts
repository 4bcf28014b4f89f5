export * from './options';
export * from './simulated-driver';
export { readLedger, doubleGuests, STATE_FILE, type DoubleGuest, type LedgerEntry, type LedgerFilter } from './ledger';
