import { IsString } from 'class-validator';
import { classValidatorFaults, Closed, compileDto, edgesOfClass, Optional } from './index';

@Closed('2.75-')
class Filter {
  @Optional() @IsString() host?: string;
}

describe('a class that is closed in some versions', () => {
  it.each([
    ['2.74', true],
    ['2.75', false],
    [undefined, false],
  ])('at %s takes unknown members: %s', (version, takes) => {
    const dto = compileDto(Filter, version === undefined ? {} : { version });
    expect(dto.check({ other: 1 }) === null).toBe(takes);
    expect(classValidatorFaults(Filter, { other: 1 }, version).length === 0).toBe(takes);
    expect(dto.check({ host: 'a' })).toBeNull();
  });

  it('changes with that version', () => {
    expect(edgesOfClass(Filter)).toEqual([20_075]);
  });
});
