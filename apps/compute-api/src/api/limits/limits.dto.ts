import { Closed } from '@fractus/dto-schema';
import { TextParameter } from '../paging-rules';

@Closed('2.75-')
export class LimitsQuery {
  /** Whose limits; the asker's own project if it is not said. */
  @TextParameter() tenant_id?: string[];
}
