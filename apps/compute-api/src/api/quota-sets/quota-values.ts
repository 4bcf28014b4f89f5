import { NumericString, Optional, Until, All } from '@fractus/dto-schema';

/** A limit: -1 is unlimited. */
export const QuotaValue = (): PropertyDecorator =>
  All(Optional(), NumericString({ pattern: '^-?[0-9]+$', min: -1, max: 2_147_483_647 }));

/** Limits that may be set in every version. */
export class QuotaValues {
  @QuotaValue() instances?: number | string;
  @QuotaValue() cores?: number | string;
  /** MiB. */
  @QuotaValue() ram?: number | string;
  @QuotaValue() metadata_items?: number | string;
  @QuotaValue() key_pairs?: number | string;
  @QuotaValue() server_groups?: number | string;
  @QuotaValue() server_group_members?: number | string;
  @Until('2.56') @QuotaValue() injected_files?: number | string;
  @Until('2.56') @QuotaValue() injected_file_content_bytes?: number | string;
  @Until('2.56') @QuotaValue() injected_file_path_bytes?: number | string;
}
