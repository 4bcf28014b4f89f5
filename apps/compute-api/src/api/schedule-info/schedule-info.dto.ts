import { MinLength } from 'class-validator';
import { AnyOf, Closed, Format, Nested, Nullable, Optional } from '@fractus/dto-schema';
import { LimitParameter, TextParameter } from '../paging-rules';
import { HostLikeName, Name } from '../rules';
import { NewServer, SchedulerHints } from '../servers/create-server.dto';

@Closed()
export class ScheduleInfoQuery {
  @LimitParameter() limit?: string[];
  @TextParameter() marker?: string[];
}

@Closed()
export class ResizeQuestion {
  @Format('uuid') server_id: string;
  @AnyOf(MinLength(1), 'integer') flavorRef: string | number;
}

@Closed()
export class MigrateQuestion {
  @Format('uuid') server_id: string;
  @Optional() @Nullable() @HostLikeName() host?: string | null;
}

@Closed()
export class UnshelveQuestion {
  @Format('uuid') server_id: string;
  @Optional() @HostLikeName() host?: string;
  /** Null: in no particular zone any more. */
  @Optional() @Nullable() @Name() availability_zone?: string | null;
}

/** What POST /servers takes in the same microversion, or one question about a server that is there. */
@Closed()
export class ScheduleDryRunDto {
  @Optional() @Nested(() => NewServer) server?: NewServer;
  @Optional() @Nested(() => SchedulerHints) 'os:scheduler_hints'?: SchedulerHints;
  @Optional() @Nested(() => SchedulerHints) 'OS-SCH-HNT:scheduler_hints'?: SchedulerHints;
  @Optional() @Nested(() => ResizeQuestion) resize?: ResizeQuestion;
  @Optional() @Nested(() => MigrateQuestion) migrate?: MigrateQuestion;
  @Optional() @Nested(() => UnshelveQuestion) unshelve?: UnshelveQuestion;
}
