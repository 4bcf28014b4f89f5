import { IsString } from 'class-validator';
import { Closed, Format, NumericString, Optional, Since } from '@fractus/dto-schema';
import { Parameter } from '@fractus/microversions';

/** 2.58: pages and changes-since. 2.66: changes-before. */
@Closed('2.58-')
export class ListInstanceActionsQuery {
  @Since('2.58') @Optional() @Parameter(NumericString({ min: 0, pattern: '^[0-9]*$', minLength: 1 })) limit?: string[];
  @Since('2.58') @Optional() @Parameter(IsString()) marker?: string[];
  @Since('2.58') @Optional() @Parameter(Format('date-time')) 'changes-since'?: string[];
  @Since('2.66') @Optional() @Parameter(Format('date-time')) 'changes-before'?: string[];
}

/** No parameters; until 2.101 whatever comes is dropped. */
@Closed('2.102-')
export class ShowInstanceActionQuery {}
