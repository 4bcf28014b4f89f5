import { defineVersion } from '@fractus/microversions';

export const v2_37 = defineVersion({
  version: '2.37',
  summary:
    "Which networks a new server gets must be said; `auto` and `none` are words for it. (Tags of networks are gone until 2.42: a slip of upstream's.)",
});
