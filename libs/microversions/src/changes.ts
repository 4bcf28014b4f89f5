import type { DtoClass, Version } from '@fractus/dto-schema';

/**
 * What a microversion may change, as data. There are four kinds and no others:
 *
 * 1. a route or an action appears or goes: `since` / `until` where it is declared;
 * 2. a request field appears, goes or is tightened: `Since`, `Until`, `Versions`, `InVersions` in its DTO, and, where an
 *    older body must be read as a newer one, a `lift` here;
 * 3. a response field appears (`added`), goes (`removed`) or has another form (`reshaped`): here, by view;
 * 4. anything else is a named flag that handlers read.
 *
 * A presenter makes one view: the newest form, plus the fields that newer versions removed. Everything older is cut and
 * reshaped from it, newest change first. Handlers never learn which version they serve.
 */

/** A resource as the presenter gives it and as a step may rewrite it. Undefined fields are not there. */
export type View = Record<string, unknown>;

export type ResponseChange =
  | { readonly kind: 'added'; readonly view: string; readonly fields: readonly string[] }
  | { readonly kind: 'removed'; readonly view: string; readonly fields: readonly string[] }
  | { readonly kind: 'reshaped'; readonly view: string; readonly down: (view: View) => View };

/** The fields exist in the view from this version on. */
export const added = (view: string, ...fields: readonly string[]): ResponseChange => ({ kind: 'added', view, fields });

/** The fields exist in the view up to, and without, this version. */
export const removed = (view: string, ...fields: readonly string[]): ResponseChange => ({
  kind: 'removed',
  view,
  fields,
});

/** Older versions show the view as `down` returns it. `down` may change the view it is given. */
export const reshaped = (view: string, down: (view: View) => View): ResponseChange => ({
  kind: 'reshaped',
  view,
  down,
});

/** Reads a body that is valid before this version as one of this version. May change the body it is given. */
export interface RequestLift {
  readonly dto: DtoClass;
  readonly up: (body: never) => object;
}

export const lift = <T extends object>(dto: DtoClass<T>, up: (body: T) => T): RequestLift => ({ dto, up });

export interface VersionChange<Flag extends string = string> {
  readonly version: Version;
  /** One sentence, for the version's entry in the documentation. */
  readonly summary: string;
  readonly responses?: readonly ResponseChange[];
  readonly requests?: readonly RequestLift[];
  /** Behaviours that are on from this version. */
  readonly turnsOn?: readonly Flag[];
  /** Behaviours that are off from this version. */
  readonly turnsOff?: readonly Flag[];
}

/** Declares what one microversion changes. One file, `v2.19.ts`, exports one. */
export const defineVersion = <const Flag extends string = never>(change: VersionChange<Flag>): VersionChange<Flag> =>
  Object.freeze(change);
