import { requireSoundTable } from './validate';

export * from './actions';
export * from './evaluate';
export * from './evaluate-all';
export * from './facts';
export { GUARDS, type Guard, type GuardKey, quotaSentence } from './guards';
export * from './reasons';
export * from './status';
export * from './transitions';
export * from './unbuilt';
export { renderLifecycle } from './render';
export { reachedVmStates, tableFaults, UNREACHED_VM_STATES } from './validate';

requireSoundTable();
