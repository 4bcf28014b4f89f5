import type { Patient } from '../patient';

/** Something that is not as it should be. */
export interface Finding {
  readonly text: string;
  /** What an operator can do, where it does not heal by itself. */
  readonly hint?: string;
}

/** What a check has seen. `looked` is the sentence that stands when there is nothing to find. */
export interface Seen {
  readonly looked: string;
  readonly findings: readonly Finding[];
}

export interface Check {
  readonly name: string;
  /** Throws `NotHere` where there is nothing to look at; any other error means that it cannot be told. */
  run(patient: Patient): Promise<Seen>;
}

/** A check that does not apply to this cloud, or was not asked for. */
export class NotHere extends Error {
  override readonly name = 'NotHere';
}

/** The first few by name, and how many more. */
export function several(names: readonly string[], most = 5): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
