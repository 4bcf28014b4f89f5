import { lockAction } from './lock.action';
import { pauseAction } from './pause.action';
import { rebootAction } from './reboot.action';
import { resumeAction } from './resume.action';
import { startAction } from './start.action';
import { stopAction } from './stop.action';
import { suspendAction } from './suspend.action';
import { unlockAction } from './unlock.action';
import { unpauseAction } from './unpause.action';

/** Every action that POST /servers/{id}/action knows. One file each. */
export const SERVER_ACTIONS = [
  rebootAction,
  startAction,
  stopAction,
  pauseAction,
  unpauseAction,
  suspendAction,
  resumeAction,
  lockAction,
  unlockAction,
] as const;
