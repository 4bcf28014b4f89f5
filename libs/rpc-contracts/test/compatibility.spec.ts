import { IsIn, IsInt, IsOptional, IsString, Min } from 'class-validator';
import { ListOf, Nested } from '@fractus/dto-schema';
import { call, cast, defineContract, type Contract, type MethodSpecs } from '../src';
import { breakingChanges } from './compatibility';
import { fingerprintsOf, type Shape } from './shape';

class Part {
  @IsString() name: string;
}
class Old {
  @IsInt() @Min(1) size: number;
  @IsIn(['a', 'b']) letter: string;
  @IsOptional() @IsString() note?: string;
  @ListOf(() => Part) parts: Part[];
}

const shapes = (methods: MethodSpecs, routing: 'queue' | 'host' = 'queue'): Record<string, Shape> => {
  const contract: Contract = defineContract('t', routing, methods);
  return Object.fromEntries(Object.entries(fingerprintsOf([contract])).map(([k, v]) => [k, v.shape]));
};
const before = shapes({ go: cast(Old), ask: call(Old, Old) });

describe('what a contract may become', () => {
  it('may grow by methods, optional members, looser values and time', () => {
    class Grown {
      @IsInt() @Min(0) size: number;
      @IsIn(['b', 'c', 'a']) letter: string;
      @ListOf(() => Part) parts: Part[];
      @IsOptional() @IsString() note?: string;
      @IsOptional() @Nested(() => Part) extra?: Part;
    }
    expect(breakingChanges(before, shapes({ go: cast(Grown), ask: call(Grown, Grown, 5), more: cast(Part) }))).toEqual(
      [],
    );
  });

  it('may not ask for a member that older senders do not know, wherever it sits', () => {
    class Wider extends Old {
      @IsString() must: string;
    }
    class BiggerPart extends Part {
      @IsInt() weight: number;
    }
    expect(breakingChanges(before, shapes({ go: cast(Wider), ask: call(Old, Old) }))).toEqual([
      't.go request.must is required, which older senders do not know',
    ]);
    expect(breakingChanges(before, shapes({ go: cast(Old), ask: call(Old, Wider) }))).toEqual([
      't.ask response.must is required, which older senders do not know',
    ]);
    class Apart {
      @IsInt() @Min(1) size: number;
      @IsIn(['a', 'b']) letter: string;
      @IsOptional() @IsString() note?: string;
      @ListOf(() => BiggerPart) parts: BiggerPart[];
    }
    expect(breakingChanges(before, shapes({ go: cast(Apart), ask: call(Old, Old) }))).toEqual([
      't.go request.parts[].weight is required, which older senders do not know',
    ]);
  });

  it('may not lose, tighten or retype anything', () => {
    class Shrunk {
      @IsInt() @Min(2) size: number;
      @IsIn(['a']) letter: string;
      @IsOptional() @IsInt() note?: number;
      @IsOptional() @ListOf(() => Part) parts?: Part[];
    }
    const broken = breakingChanges(before, shapes({ go: cast(Shrunk), ask: call(Part, Old) }));
    expect(broken).toEqual(
      expect.arrayContaining([
        't.go request.size: minimum was 1 and is 2',
        't.go request.letter no longer takes the value "b"',
        't.go request.note no longer takes the type "string"',
        't.go request.parts is no longer required, but older receivers refuse its absence',
        't.ask request.size was removed',
      ]),
    );
  });

  it('may not lose a method, nor change its kind or routing', () => {
    expect(breakingChanges(before, shapes({ ask: cast(Old) }, 'host'))).toEqual([
      't.ask was a call and is a cast',
      't.ask was routed by queue and is by host',
      't.go was removed',
    ]);
  });
});
