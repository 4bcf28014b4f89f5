/** What the engine keeps in a task's state: of `libs/compute-db`, for operators' tools read it too. */
export { engineState, hostsLeft, hostsNamed, withEngine, type EngineState } from '@fractus/compute-db';
