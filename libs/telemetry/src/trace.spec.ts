import { continueTraceparent, formatTraceparent, newTrace, parseTraceparent } from './index';

const SAMPLE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('trace context', () => {
  it('reads and writes traceparent', () => {
    expect(parseTraceparent(SAMPLE)).toEqual({
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      spanId: '00f067aa0ba902b7',
      sampled: true,
    });
    expect(formatTraceparent(parseTraceparent(SAMPLE)!)).toBe(SAMPLE);
    expect(parseTraceparent(formatTraceparent(newTrace(false)))).toMatchObject({ sampled: false });
  });

  it.each([
    undefined,
    '',
    'nonsense',
    `ff${SAMPLE.slice(2)}`,
    `${SAMPLE}-extra`,
    SAMPLE.toUpperCase(),
    '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
    '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01',
  ])('does not take %j', (header) => {
    expect(parseTraceparent(header)).toBeNull();
    expect(parseTraceparent(continueTraceparent(header))).not.toBeNull();
  });

  it('takes a future version that adds fields', () => {
    expect(parseTraceparent(`01${SAMPLE.slice(2)}-extra`)).not.toBeNull();
  });

  it('continues a trace with a span of its own', () => {
    const child = parseTraceparent(continueTraceparent(SAMPLE))!;
    expect(child.traceId).toBe('4bf92f3577b34da6a3ce929d0e0e4736');
    expect(child.spanId).not.toBe('00f067aa0ba902b7');
  });
});
