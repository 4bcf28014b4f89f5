// What schemas and the version table cannot say: what a field or a parameter means, and whom a flag concerns.

/** Meaning of a body's field, by its last name, or by operation and path where one name has two meanings. */
export const FIELDS = {
  allocations: 'what the consumer is to hold, by provider',
  'PUT /allocations/{consumer_uuid} allocations': 'what the consumer is to hold, by provider; before 1.12 a list',
  'POST /reshaper allocations': 'by consumer',
  'POST /reshaper inventories': 'by provider',
  'POST /reshaper inventories.{uuid}.inventories.{class}.resource_provider_generation': 'not looked at',
  'PUT /resource_providers/{uuid}/inventories inventories.{class}.resource_provider_generation': 'not looked at',
  'POST /resource_providers/{uuid}/inventories resource_provider_generation': 'not looked at',
  aggregates: 'all aggregates of the provider',
  allocation_ratio: 'how many times the inventory may be given out; 1 if not said',
  consumer_generation: 'the generation that was read; null for a new consumer',
  consumer_type: 'what the consumer is: `INSTANCE`, `MIGRATION`, …',
  generation: 'of the provider; not looked at, so that what was read can be sent back',
  inventories: 'what the provider has, by resource class; what is not named goes',
  mappings: 'which provider met which group; not looked at, so that a candidate can be sent as it is',
  max_unit: 'the most that one allocation may take; 2147483647 if not said',
  min_unit: 'the least that one allocation may take; 1 if not said',
  name: 'the name, of which there is only one',
  parent_provider_uuid: 'the parent; null for a root',
  project_id: 'whose the consumer is',
  reserved: 'how much of it is kept from being given out; 0 if not said',
  resource_class: 'the class',
  resource_provider: 'the provider',
  resource_provider_generation: 'the provider’s generation that the write was made for',
  resources: 'units by resource class',
  step_size: 'allocations are multiples of it; 1 if not said',
  total: 'how much there is',
  traits: 'all traits of the provider',
  user_id: 'who made the consumer',
  uuid: 'the uuid',
  'POST /resource_providers uuid': 'the uuid; one is made up if not said',
  '{class}': 'units of the class',
  '[]': 'an aggregate',
  '{suffix}': 'providers that met the group',
};

/** Meaning of a query parameter, by operation where one name has two meanings. */
export const PARAMETERS = {
  'GET /resource_providers name': 'the provider with the name',
  'GET /resource_providers uuid': 'the provider with the uuid',
  'GET /resource_providers member_of':
    'in the aggregate; `in:A,B` in one of them; `!A` and `!in:A,B` not in them (1.32); may be repeated from 1.24 on, and all have to hold',
  'GET /resource_providers resources': 'with room for `VCPU:2,DISK_GB:20`',
  'GET /resource_providers in_tree': 'in the tree of the provider with the uuid',
  'GET /resource_providers required':
    'with all the traits; `!TRAIT` without it (1.22); `in:A,B` with one of them, and repeated (1.39)',
  'GET /traits name': '`in:A,B` or `startswith:CUSTOM_`',
  'GET /traits associated': '`true`: those that some provider has; `false`: the others',
  'GET /usages project_id': 'the project',
  'GET /usages user_id': 'of this user only',
  'GET /usages consumer_type': 'of this type only; `all`: all types as one; `unknown`: those written before 1.38',
  resources: 'what the group asks for: `VCPU:2,DISK_GB:20`',
  limit: 'at most so many candidates',
  required: 'traits that the group needs; `!TRAIT` forbids (1.22), `in:A,B` asks for one of them (1.39)',
  member_of:
    'the aggregate that the group’s providers are in; `in:A,B` one of them; `!` not (1.32); may be repeated from 1.24 on',
  in_tree: 'the group’s providers are in the tree of the provider with the uuid',
  group_policy:
    '`isolate`: each group with a suffix has a provider of its own; `none`: it need not. Needed where several groups have one',
  root_required: 'traits that the root of the tree needs, or with `!` must not have',
  same_subtree:
    'suffixes, such as `_A,_B`: one of the providers that met these groups is above the others, or is the same; may be repeated',
};

/** The operations that a flag of the version table concerns; `*`: all. */
export const FLAGS = {
  classPutCreates: ['PUT /resource_classes/{name}'],
  lastModified: ['*'],
  errorCodes: ['*'],
  summaryTraits: ['GET /allocation_candidates'],
  aggregateGeneration: ['PUT /resource_providers/{uuid}/aggregates'],
  createdProvider: ['POST /resource_providers'],
  forbiddenTraits: ['GET /allocation_candidates', 'GET /allocation_candidates/explain', 'GET /resource_providers'],
  repeatedMemberOf: ['GET /allocation_candidates', 'GET /allocation_candidates/explain', 'GET /resource_providers'],
  reservedMayEqualTotal: [
    'POST /resource_providers/{uuid}/inventories',
    'PUT /resource_providers/{uuid}/inventories',
    'PUT /resource_providers/{uuid}/inventories/{resource_class}',
  ],
  summaryAllClasses: ['GET /allocation_candidates'],
  consumerGeneration: [
    'PUT /allocations/{consumer_uuid}',
    'POST /allocations',
    'GET /resource_providers/{uuid}/allocations',
  ],
  nestedCandidates: ['GET /allocation_candidates', 'GET /allocation_candidates/explain'],
  forbiddenAggregates: ['GET /allocation_candidates', 'GET /allocation_candidates/explain', 'GET /resource_providers'],
  namedGroups: ['GET /allocation_candidates', 'GET /allocation_candidates/explain'],
  sameSubtree: ['GET /allocation_candidates', 'GET /allocation_candidates/explain'],
  reparent: ['PUT /resource_providers/{uuid}'],
  consumerTypes: ['GET /usages'],
  anyTraits: ['GET /allocation_candidates', 'GET /allocation_candidates/explain', 'GET /resource_providers'],
};
