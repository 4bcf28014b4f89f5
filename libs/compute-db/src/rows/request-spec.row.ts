import { Json, Key } from '@fractus/database';
import { Entity } from 'typeorm';

/** What the user asked for, as it was asked: no attempt ever writes here. */
@Entity('request_specs')
export class RequestSpecRow {
  @Key(36) server_uuid: string;
  /** RequestSpec (libs/rpc-contracts). */
  @Json() spec: string;
}
