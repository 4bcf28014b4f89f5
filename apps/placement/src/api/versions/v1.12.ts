import { added, defineVersion, lift, reshaped } from '@fractus/microversions';
import { PutAllocations } from '../dto/allocations.dto';
import { allocationsByProvider, listedAllocations } from '../allocation-forms';

export const v1_12 = defineVersion({
  version: '1.12',
  summary: 'Allocations are an object by provider, in requests and in answers; consumers show project and user.',
  responses: [added('consumer', 'project_id', 'user_id'), reshaped('candidate', listedAllocations)],
  requests: [lift(PutAllocations, allocationsByProvider)],
});
