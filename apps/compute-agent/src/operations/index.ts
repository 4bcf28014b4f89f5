import { buildOperation } from './build.operation';
import { destroyOperation } from './destroy.operation';
import type { OperationName } from './operation';
import { pauseOperation } from './pause.operation';
import { rebootOperation } from './reboot.operation';
import { resumeOperation } from './resume.operation';
import { startOperation } from './start.operation';
import { stopOperation } from './stop.operation';
import { suspendOperation } from './suspend.operation';
import { unpauseOperation } from './unpause.operation';

export * from './operation';

/** Every operation that an agent can be asked for. */
export const OPERATIONS = {
  build: buildOperation,
  destroy: destroyOperation,
  start: startOperation,
  stop: stopOperation,
  reboot: rebootOperation,
  pause: pauseOperation,
  unpause: unpauseOperation,
  suspend: suspendOperation,
  resume: resumeOperation,
} as const satisfies { [N in OperationName]: { readonly name: N } };
