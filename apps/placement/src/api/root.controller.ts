import { Controller } from '@nestjs/common';
import { Reply } from './reply';
import { Api, PLACEMENT_API } from './versions';

/** The version document; anyone may read it. */
@Controller()
export class RootController {
  @Api('GET /')
  home(): Reply {
    const { min, max } = PLACEMENT_API;
    return new Reply(
      {
        versions: [
          { id: `v${min}`, max_version: max, min_version: min, status: 'CURRENT', links: [{ rel: 'self', href: '' }] },
        ],
      },
      { modified: null },
    );
  }
}
