import { IsInt } from 'class-validator';
import {
  All,
  Closed,
  Format,
  InVersions,
  ListOf,
  MapOf,
  Nested,
  Nullable,
  Optional,
  Pattern,
  Since,
} from '@fractus/dto-schema';
import { ByUuid, Name255, Resources } from './rules';

@Closed()
export class ProviderUuid {
  @Format('uuid') uuid: string;
}

/** The form before 1.12. */
@Closed()
export class ListedAllocation {
  @Nested(() => ProviderUuid) resource_provider: ProviderUuid;
  @Resources() resources: Record<string, number>;
}

@Closed()
export class ProviderAllocation {
  /** Accepted, never looked at. */
  @Optional() @IsInt() generation?: number;
  @Resources() resources: Record<string, number>;
}

/** Which group each provider satisfied; accepted from 1.34 so that a candidate can be sent back as it came. */
const Mappings = (): PropertyDecorator =>
  All(
    Since('1.34'),
    Optional(),
    MapOf([ListOf([Format('uuid')], { min: 1 })], { key: '[a-zA-Z0-9_-]{1,64}', others: true, minProperties: 1 }),
  );
const ConsumerType = (): PropertyDecorator => All(Since('1.38'), Pattern('^[A-Z0-9_]+$'), Name255());

/** PUT /allocations/{consumer_uuid}. */
@Closed()
export class PutAllocations {
  @InVersions('-1.11', ListOf(() => ListedAllocation, { min: 1 }))
  @InVersions('1.12-1.27', ByUuid(() => ProviderAllocation, 1))
  @InVersions('1.28-', ByUuid(() => ProviderAllocation, 0))
  allocations: Record<string, ProviderAllocation>;
  @Since('1.8') @Name255() project_id?: string;
  @Since('1.8') @Name255() user_id?: string;
  @Since('1.28') @Nullable() @IsInt() consumer_generation?: number | null;
  @Mappings() mappings?: Record<string, string[]>;
  @ConsumerType() consumer_type?: string;
}

/** One consumer of POST /allocations and of the reshaper. */
@Closed()
export class ConsumerBody {
  @ByUuid(() => ProviderAllocation, 0) allocations: Record<string, ProviderAllocation>;
  @Name255() project_id: string;
  @Name255() user_id: string;
  @Since('1.28') @Nullable() @IsInt() consumer_generation?: number | null;
  @Mappings() mappings?: Record<string, string[]>;
  @ConsumerType() consumer_type?: string;
}

/** POST /allocations: the body itself is the object by consumer. */
@Closed()
export class PostAllocations {
  @ByUuid(() => ConsumerBody, 1) root: Record<string, ConsumerBody>;
}
