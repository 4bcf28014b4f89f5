import { Int, Key } from '@fractus/database';
import { Entity } from 'typeorm';

/** A limit set for a project (user_id empty) or for a user in it. −1 is unlimited. */
@Entity('quotas')
export class QuotaRow {
  @Key(64) project_id: string;
  @Key(64) user_id: string;
  @Key(64) resource: string;
  @Int() hard_limit: number;
}

/** A default limit; class `default` overrides the configured ones. */
@Entity('quota_classes')
export class QuotaClassRow {
  @Key(64) class_name: string;
  @Key(64) resource: string;
  @Int() hard_limit: number;
}

/** What a project (user_id empty) or a user in it has in use. Changed by conditional updates, last in a transaction. */
@Entity('quota_usages')
export class QuotaUsageRow {
  @Key(64) project_id: string;
  @Key(64) user_id: string;
  @Int() instances: number;
  @Int() cores: number;
  /** MiB. */
  @Int() ram: number;
}
