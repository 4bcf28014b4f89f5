import { IsInt, IsNumber, Max, Min } from 'class-validator';
import { All, Closed, MapOf, Optional, Pattern } from '@fractus/dto-schema';
import { ConsumerBody } from './allocations.dto';
import { ByUuid, CLASS_KEY, MAX_INT, MAX_RATIO } from './rules';

const Count = (min: 0 | 1): PropertyDecorator => All(IsInt(), Max(MAX_INT), Min(min));

/** What is not said has upstream's defaults. */
@Closed()
export class InventoryBody {
  @Optional() @IsInt() resource_provider_generation?: number;
  @Count(1) total: number;
  @Optional() @Count(0) reserved?: number;
  @Optional() @Count(1) min_unit?: number;
  @Optional() @Count(1) max_unit?: number;
  @Optional() @Count(1) step_size?: number;
  @Optional() @IsNumber() @Max(MAX_RATIO) allocation_ratio?: number;
}

@Closed()
export class PostInventory extends InventoryBody {
  @Pattern(CLASS_KEY) resource_class: string;
}

@Closed()
export class PutInventory {
  @IsInt() resource_provider_generation: number;
  @Count(1) total: number;
  @Optional() @Count(0) reserved?: number;
  @Optional() @Count(1) min_unit?: number;
  @Optional() @Count(1) max_unit?: number;
  @Optional() @Count(1) step_size?: number;
  @Optional() @IsNumber() @Max(MAX_RATIO) allocation_ratio?: number;
}

@Closed()
export class PutInventories {
  @IsInt() resource_provider_generation: number;
  @MapOf(() => InventoryBody, { key: CLASS_KEY, others: true }) inventories: Record<string, InventoryBody>;
}

@Closed()
export class PostReshaper {
  @ByUuid(() => PutInventories, 1) inventories: Record<string, PutInventories>;
  @ByUuid(() => ConsumerBody, 0) allocations: Record<string, ConsumerBody>;
}
