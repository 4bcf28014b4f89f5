import { BooleanLike, Closed, Nested, Optional, Until } from '@fractus/dto-schema';
import { TextParameter } from '../paging-rules';
import { QuotaValue, QuotaValues } from './quota-values';

@Closed()
export class QuotaSetValues extends QuotaValues {
  @Until('2.35') @QuotaValue() fixed_ips?: number | string;
  @Until('2.35') @QuotaValue() floating_ips?: number | string;
  @Until('2.35') @QuotaValue() security_groups?: number | string;
  @Until('2.35') @QuotaValue() security_group_rules?: number | string;
  /** Set limits below what is used. */
  @Optional() @BooleanLike() force?: boolean | string;
}

@Closed()
export class UpdateQuotaSetDto {
  @Nested(() => QuotaSetValues) quota_set: QuotaSetValues;
}

@Closed('2.75-')
export class QuotaSetQuery {
  @TextParameter() user_id?: string[];
}

/** The defaults know no parameter. */
export class QuotaDefaultsQuery {}
