import type { InstanceAction, InstanceActionEvent } from '@fractus/compute-db';
import { isoTimeMicros } from '@fractus/http';
import { hostIdOf } from '../servers/server.presenter';

export function actionView(action: InstanceAction): Record<string, unknown> {
  return {
    action: action.action,
    instance_uuid: action.serverId,
    request_id: action.requestId,
    user_id: action.userId,
    project_id: action.projectId,
    start_time: isoTimeMicros(action.startedAt),
    updated_at: isoTimeMicros(action.updatedAt),
    message: action.message,
  };
}

export interface EventRights {
  /** Traceback and host. */
  readonly internals: boolean;
  readonly details: boolean;
}

export function eventView(event: InstanceActionEvent, projectId: string, rights: EventRights): Record<string, unknown> {
  return {
    event: event.event,
    start_time: isoTimeMicros(event.startedAt),
    finish_time: isoTimeMicros(event.finishedAt),
    result: event.result,
    hostId: hostIdOf({ host: event.host, projectId }),
    ...(rights.internals ? { traceback: event.traceback, host: event.host ?? '' } : {}),
    ...(rights.details ? { details: event.details } : {}),
  };
}
