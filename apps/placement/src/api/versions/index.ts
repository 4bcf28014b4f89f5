/** What each microversion of Placement changes, in order. */
import { type ApiVersions, type Flags, apiDecorators, defineVersions } from '@fractus/microversions';
import { v1_1 } from './v1.1';
import { v1_2 } from './v1.2';
import { v1_3 } from './v1.3';
import { v1_4 } from './v1.4';
import { v1_5 } from './v1.5';
import { v1_6 } from './v1.6';
import { v1_7 } from './v1.7';
import { v1_8 } from './v1.8';
import { v1_9 } from './v1.9';
import { v1_10 } from './v1.10';
import { v1_11 } from './v1.11';
import { v1_12 } from './v1.12';
import { v1_13 } from './v1.13';
import { v1_14 } from './v1.14';
import { v1_15 } from './v1.15';
import { v1_16 } from './v1.16';
import { v1_17 } from './v1.17';
import { v1_18 } from './v1.18';
import { v1_19 } from './v1.19';
import { v1_20 } from './v1.20';
import { v1_21 } from './v1.21';
import { v1_22 } from './v1.22';
import { v1_23 } from './v1.23';
import { v1_24 } from './v1.24';
import { v1_25 } from './v1.25';
import { v1_26 } from './v1.26';
import { v1_27 } from './v1.27';
import { v1_28 } from './v1.28';
import { v1_29 } from './v1.29';
import { v1_30 } from './v1.30';
import { v1_31 } from './v1.31';
import { v1_32 } from './v1.32';
import { v1_33 } from './v1.33';
import { v1_34 } from './v1.34';
import { v1_35 } from './v1.35';
import { v1_36 } from './v1.36';
import { v1_37 } from './v1.37';
import { v1_38 } from './v1.38';
import { v1_39 } from './v1.39';

export type PlacementFlag =
  | 'classPutCreates'
  | 'lastModified'
  | 'summaryTraits'
  | 'aggregateGeneration'
  | 'createdProvider'
  | 'forbiddenTraits'
  | 'errorCodes'
  | 'repeatedMemberOf'
  | 'reservedMayEqualTotal'
  | 'summaryAllClasses'
  | 'consumerGeneration'
  | 'nestedCandidates'
  | 'forbiddenAggregates'
  | 'namedGroups'
  | 'sameSubtree'
  | 'reparent'
  | 'consumerTypes'
  | 'anyTraits';
export type PlacementFlags = Flags<PlacementFlag>;

export const PLACEMENT_API: ApiVersions = { service: 'placement', min: '1.0', max: '1.39', dialect: 'placement' };

export const PLACEMENT_VERSIONS = defineVersions<PlacementFlag>(PLACEMENT_API, [
  v1_1,
  v1_2,
  v1_3,
  v1_4,
  v1_5,
  v1_6,
  v1_7,
  v1_8,
  v1_9,
  v1_10,
  v1_11,
  v1_12,
  v1_13,
  v1_14,
  v1_15,
  v1_16,
  v1_17,
  v1_18,
  v1_19,
  v1_20,
  v1_21,
  v1_22,
  v1_23,
  v1_24,
  v1_25,
  v1_26,
  v1_27,
  v1_28,
  v1_29,
  v1_30,
  v1_31,
  v1_32,
  v1_33,
  v1_34,
  v1_35,
  v1_36,
  v1_37,
  v1_38,
  v1_39,
]);

export const { Api } = apiDecorators<PlacementFlag>();
