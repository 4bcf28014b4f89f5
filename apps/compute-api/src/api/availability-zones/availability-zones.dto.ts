import { Closed } from '@fractus/dto-schema';

/** No parameters; until 2.101 whatever comes is dropped. */
@Closed('2.102-')
export class ListAvailabilityZonesQuery {}
