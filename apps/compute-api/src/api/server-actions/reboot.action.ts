import { IsIn } from 'class-validator';
import { Closed, Nested } from '@fractus/dto-schema';
import { defineServerAction } from './server-action';

@Closed()
class Reboot {
  @IsIn(['HARD', 'Hard', 'hard', 'SOFT', 'Soft', 'soft']) type: string;
}
@Closed()
class RebootBody {
  @Nested(() => Reboot) reboot: Reboot;
}

export const rebootAction = defineServerAction<RebootBody>({
  key: 'reboot',
  body: RebootBody,
  success: 202,
  policies: ['os_compute_api:servers:reboot'],
  request: (_ctx, { reboot }) => ({ action: reboot.type.toUpperCase() === 'HARD' ? 'reboot-hard' : 'reboot-soft' }),
});
