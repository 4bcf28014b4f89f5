/** Moves a provider, with all below it, under another parent or to the top. */
import { placeholders } from '@fractus/database';
import { invalid, isFractusError } from '@fractus/objects';
import type { LockedProvider, WriteUnit } from '../store/write-unit';

interface Member {
  id: number;
  parent_id: number | null;
}

/** Nothing to do when the parent stays. 400 for a loop, an unknown parent, or a move that this version does not have. */
export async function moveProvider(
  unit: WriteUnit,
  provider: LockedProvider,
  parentUuid: string | null,
  rules: { reparent: boolean },
): Promise<LockedProvider> {
  const fail = (why: string): Error =>
    invalid(`Unable to save resource provider ${provider.uuid}: ${why}`, { code: 'provider.parent' });
  if (parentUuid === null) {
    if (provider.parentId === null) return provider;
    if (!rules.reparent) throw fail('un-parenting a provider is not currently allowed.');
    return relocate(unit, provider, null);
  }
  const parent = await unit.lockByUuid(parentUuid).catch((e: unknown) => {
    throw isFractusError(e, 'not_found') ? fail('parent provider UUID does not exist.') : e;
  });
  if (parent.id === provider.parentId) return provider;
  if (provider.parentId !== null && !rules.reparent) throw fail('re-parenting a provider is not currently allowed.');
  if ((await subtree(unit, provider)).includes(parent.id))
    throw fail('creating loop in the provider tree is not allowed.');
  return relocate(unit, provider, parent);
}

/** Ids of the provider and all below it, under lock. */
async function subtree(unit: WriteUnit, provider: LockedProvider): Promise<number[]> {
  const members = await unit.tx.query<Member>(
    `SELECT id, parent_id FROM resource_providers WHERE root_id = ? ORDER BY id${unit.forUpdate}`,
    [provider.rootId],
  );
  const ids = [provider.id];
  for (let i = 0; i < ids.length; i++)
    for (const m of members) if (m.parent_id !== null && Number(m.parent_id) === ids[i]) ids.push(Number(m.id));
  return ids;
}

async function relocate(
  unit: WriteUnit,
  provider: LockedProvider,
  parent: LockedProvider | null,
): Promise<LockedProvider> {
  const moved = await subtree(unit, provider);
  const marks = placeholders(moved);
  const rootId = parent?.rootId ?? provider.id;
  const [sum] = await unit.tx.query<{ total: number }>(
    `SELECT SUM(revision) AS total FROM resource_providers WHERE id IN (${marks})`,
    moved,
  );
  await unit.tx.execute(`UPDATE resource_providers SET root_id = ? WHERE id IN (${marks})`, [rootId, ...moved]);
  await unit.tx.execute('UPDATE resource_providers SET parent_id = ? WHERE id = ?', [parent?.id ?? null, provider.id]);
  // the tree that is left must look newer than it was, though it has fewer members
  if (provider.rootId !== provider.id) {
    await unit.tx.execute('UPDATE resource_providers SET revision = revision + ? WHERE id = ?', [
      Number(sum?.total ?? 0) + 1,
      provider.rootId,
    ]);
  }
  unit.invalidate(provider.rootId);
  return { ...provider, parentId: parent?.id ?? null, rootId };
}
