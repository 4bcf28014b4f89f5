import { toBoolean } from '@fractus/dto-schema';
import { invalid } from '@fractus/objects';
import type { ServiceChange } from '../../app/services/services';
import type { UpdateServiceBody } from './services.dto';

/** An action of PUT /os-services/{action}, which is how services were changed before 2.53. */
export interface ServiceAction {
  /** Exists from 2.11 on only. */
  readonly since211?: true;
  change(body: UpdateServiceBody): ServiceChange;
  /** What the answer says beside host and binary. */
  answer(change: ServiceChange): Record<string, unknown>;
}

const disabled = ({ disabledReason }: ServiceChange): Record<string, unknown> => ({
  status: 'disabled',
  ...(disabledReason ? { disabled_reason: disabledReason } : {}),
});

export const SERVICE_ACTIONS: Readonly<Record<string, ServiceAction>> = {
  enable: {
    change: () => ({ disabled: false, disabledReason: null }),
    answer: () => ({ status: 'enabled' }),
  },
  disable: {
    change: () => ({ disabled: true, disabledReason: null }),
    answer: disabled,
  },
  'disable-log-reason': {
    change: ({ disabled_reason }) => {
      if (disabled_reason === undefined) throw invalid('Missing disabled reason field', { code: 'service.reason' });
      return { disabled: true, disabledReason: disabled_reason };
    },
    answer: disabled,
  },
  'force-down': {
    since211: true,
    change: ({ forced_down }) => {
      if (forced_down === undefined) throw invalid('Missing forced_down field', { code: 'service.forced_down' });
      return { forcedDown: toBoolean(forced_down) };
    },
    answer: ({ forcedDown }) => ({ forced_down: forcedDown }),
  },
};

/** What a body of 2.53 or later asks for; `invalid` for a reason that goes with enabling. */
export function changeOf({ status, disabled_reason, forced_down }: UpdateServiceBody): ServiceChange {
  if (status === 'enabled' && disabled_reason) {
    throw invalid("Specifying 'disabled_reason' with status 'enabled' is invalid.", { code: 'service.reason' });
  }
  return {
    ...(status === undefined ? {} : { disabled: status === 'disabled', disabledReason: disabled_reason ?? null }),
    ...(forced_down === undefined ? {} : { forcedDown: toBoolean(forced_down) }),
  };
}
