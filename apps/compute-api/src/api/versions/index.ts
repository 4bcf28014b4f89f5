import { defineVersions } from '@fractus/microversions';
import { NOVA } from './nova-versions';
import { v2_2 } from './v2.2';
import { v2_3 } from './v2.3';
import { v2_5 } from './v2.5';
import { v2_7 } from './v2.7';
import { v2_9 } from './v2.9';
import { v2_10 } from './v2.10';
import { v2_11 } from './v2.11';
import { v2_16 } from './v2.16';
import { v2_19 } from './v2.19';
import { v2_21 } from './v2.21';
import { v2_26 } from './v2.26';
import { v2_28 } from './v2.28';
import { v2_32 } from './v2.32';
import { v2_33 } from './v2.33';
import { v2_35 } from './v2.35';
import { v2_36 } from './v2.36';
import { v2_37 } from './v2.37';
import { v2_38 } from './v2.38';
import { v2_39 } from './v2.39';
import { v2_41 } from './v2.41';
import { v2_42 } from './v2.42';
import { v2_47 } from './v2.47';
import { v2_50 } from './v2.50';
import { v2_51 } from './v2.51';
import { v2_52 } from './v2.52';
import { v2_53 } from './v2.53';
import { v2_55 } from './v2.55';
import { v2_57 } from './v2.57';
import { v2_58 } from './v2.58';
import { v2_61 } from './v2.61';
import { v2_62 } from './v2.62';
import { v2_63 } from './v2.63';
import { v2_66 } from './v2.66';
import { v2_67 } from './v2.67';
import { v2_71 } from './v2.71';
import { v2_73 } from './v2.73';
import { v2_74 } from './v2.74';
import { v2_75 } from './v2.75';
import { v2_81 } from './v2.81';
import { v2_83 } from './v2.83';
import { v2_84 } from './v2.84';
import { v2_86 } from './v2.86';
import { v2_88 } from './v2.88';
import { v2_90 } from './v2.90';
import { v2_92 } from './v2.92';
import { v2_94 } from './v2.94';
import { v2_96 } from './v2.96';
import { v2_98 } from './v2.98';
import { v2_100 } from './v2.100';
import { v2_102 } from './v2.102';
import { v2_104 } from './v2.104';

/** What each microversion changes, oldest first. One file a version; how to add one: docs/checklists/add-a-microversion.md. */
const CHANGES = [
  v2_2,
  v2_3,
  v2_5,
  v2_7,
  v2_9,
  v2_10,
  v2_11,
  v2_16,
  v2_19,
  v2_21,
  v2_26,
  v2_28,
  v2_32,
  v2_33,
  v2_35,
  v2_36,
  v2_37,
  v2_38,
  v2_39,
  v2_41,
  v2_42,
  v2_47,
  v2_50,
  v2_51,
  v2_52,
  v2_53,
  v2_55,
  v2_57,
  v2_58,
  v2_61,
  v2_62,
  v2_63,
  v2_66,
  v2_67,
  v2_71,
  v2_73,
  v2_74,
  v2_75,
  v2_81,
  v2_83,
  v2_84,
  v2_86,
  v2_88,
  v2_90,
  v2_92,
  v2_94,
  v2_96,
  v2_98,
  v2_100,
  v2_102,
  v2_104,
] as const;

/** Named behaviours of versions; handlers read them. */
export type NovaFlag = NonNullable<(typeof CHANGES)[number]['turnsOn'] | (typeof CHANGES)[number]['turnsOff']>[number];

export const VERSIONS = defineVersions<NovaFlag>(NOVA, CHANGES);
