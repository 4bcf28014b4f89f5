import { POWER_STATES } from '@fractus/objects';
import { DriverError, isDriverError } from './errors';
import { POWER_OPERATIONS, POWER_RULES, powerStep, type PowerRule } from './power';

describe('power rules', () => {
  it.each([...POWER_OPERATIONS])(
    '%s ends in a state in which repeating it is harmless or does the work anew',
    (operation) => {
      const rule: PowerRule = POWER_RULES[operation];
      expect([...rule.already, ...rule.from]).toContain(rule.to);
      expect(rule.already.filter((s) => rule.from.includes(s))).toEqual([]);
    },
  );

  it('refuse what is not legal with a typed error', () => {
    expect(() => powerStep('pause', POWER_STATES.shutdown)).toThrow(DriverError);
    expect(powerStep('start', POWER_STATES.running)).toEqual({ to: POWER_STATES.running, work: false });
  });
});

describe('driver errors', () => {
  it('know whether another host might do better', () => {
    expect(new DriverError('driver.spawn', 'x').retryElsewhere).toBe(true);
    expect(new DriverError('driver.spawn', 'x', { retryElsewhere: false }).retryElsewhere).toBe(false);
    expect(isDriverError(new DriverError('driver.aborted', 'x'), 'driver.spawn')).toBe(false);
    expect(isDriverError(new Error('x'))).toBe(false);
  });
});
