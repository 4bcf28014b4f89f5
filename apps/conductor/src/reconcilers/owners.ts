import type { TaskTools } from '../engine/task-definition';

/** Of these server ids, those that nobody owns: never existed or deleted, and without an open task. */
export async function ownerless(tools: TaskTools, ids: readonly string[]): Promise<string[]> {
  const unique = [...new Set(ids)];
  const servers = await tools.servers.findMany(unique);
  const busy = await tools.tasks.busyAmong(unique);
  const live = new Set(servers.filter((s) => !s.deleted).map((s) => s.id));
  return unique.filter((id) => !live.has(id) && !busy.has(id));
}
