import { Closed, Nested, Until } from '@fractus/dto-schema';
import { QuotaValue, QuotaValues } from '../quota-sets/quota-values';

@Closed()
export class QuotaClassValues extends QuotaValues {
  @Until('2.49') @QuotaValue() fixed_ips?: number | string;
  @Until('2.49') @QuotaValue() floating_ips?: number | string;
  @Until('2.49') @QuotaValue() security_groups?: number | string;
  @Until('2.49') @QuotaValue() security_group_rules?: number | string;
}

@Closed()
export class UpdateQuotaClassSetDto {
  @Nested(() => QuotaClassValues) quota_class_set: QuotaClassValues;
}

@Closed('2.102-')
export class ShowQuotaClassQuery {}
