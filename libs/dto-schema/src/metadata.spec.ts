import { getMetadataStorage, IsInt, IsString, Length, Max, Min } from 'class-validator';
import { InVersions, Nested, Nullable, Optional } from './decorators';
import { rulesOf } from './metadata';

class Base {
  @IsString() @Length(1, 9) name: string;
  @IsInt() @Min(1) size: number;
}
class Middle extends Base {
  @Optional() @Max(9) declare size: number;
}
class Leaf extends Middle {
  @Nullable() @InVersions('2.3-', Length(2, 4)) declare name: string;
  @Nested(() => Base) base: Base;
}

describe('rulesOf', () => {
  it.each([Base, Middle, Leaf])('finds what class-validator finds for %p', (cls) => {
    const theirs = getMetadataStorage().getTargetValidationMetadatas(cls, '', true, false);
    expect(rulesOf(cls).length).toBeGreaterThan(0);
    expect(new Set(rulesOf(cls))).toEqual(new Set(theirs));
  });
});
