import Ajv2020 from 'ajv/dist/2020';
import { compileDto, ListOf } from '@fractus/dto-schema';
import { call, cast, defineContract, news } from '@fractus/rpc-contracts';
import { warmUp } from './warm-up';

const classes = Array.from({ length: 5 }, () => {
  class Told {
    @ListOf('string') words: string[];
  }
  return Told;
});
const [a, b, c, d, e] = classes as [new () => object, ...(new () => object)[]];
const contract = defineContract('warm', 'queue', {
  ask: call(a, b as typeof a),
  tell: cast(c as typeof a),
  shout: news(d as typeof a),
  again: call(a, e as typeof a),
});

describe('warmUp', () => {
  it('makes each validator of a contract, once, before a message needs it', async () => {
    const compiled = jest.spyOn(Ajv2020.prototype, 'compile');
    await warmUp([contract]);
    expect(compiled).toHaveBeenCalledTimes(classes.length);
    for (const cls of classes) {
      const validator = compileDto(cls, { unknown: 'drop' });
      expect(validator.parse({ words: ['x'] })).toEqual({ words: ['x'] });
      expect(() => validator.parse({ words: [1] })).toThrow(/words/);
    }
    expect(compiled).toHaveBeenCalledTimes(classes.length);
  });
});
