import { conflict, systemContext } from '@fractus/objects';
import { decodeAnswer, decodeEnvelope, encodeAnswer, encodeEnvelope, toWire } from './envelope';

const ctx = systemContext('req-1');

describe('a payload', () => {
  it('arrives as it was sent', () => {
    const data = { a: [1, 'x', null, { b: false }], c: {}, d: undefined, e: Object.create(null) as object };
    const arrived = { a: [1, 'x', null, { b: false }], c: {}, e: {} };
    expect(decodeEnvelope(encodeEnvelope('t.m', ctx, data)).data).toEqual(arrived);
    expect(decodeAnswer('t.m', encodeAnswer('t.m', data))).toEqual(arrived);
    expect(decodeAnswer('t.m', encodeAnswer('t.m', undefined))).toBeUndefined();
  });

  it.each([
    [new Date(0), 't.m holds a Date'],
    [{ a: { b: [{}, { c: new Map() }] } }, 't.m.a.b[1].c holds a Map'],
    [{ a: [new Set()] }, 't.m.a[0] holds a Set'],
    [{ a: Buffer.from('x') }, 't.m.a holds a Buffer'],
    [[1, Number.NaN], 't.m[1] holds NaN'],
    [{ n: -Infinity }, 't.m.n holds -Infinity'],
    [[undefined], 't.m[0] holds undefined'],
    [{ a: { b: 1n } }, 't.m.a.b holds a bigint'],
    [{ f: () => 1 }, 't.m.f holds a function'],
    [{ s: Symbol('s') }, 't.m.s holds a symbol'],
  ])('that JSON would change is refused, and where it is said (%#)', (data, message) => {
    const refused = { kind: 'internal', code: 'rpc.payload', message: `${message}, which JSON cannot carry` };
    expect(() => encodeEnvelope('t.m', ctx, data)).toThrow(expect.objectContaining(refused) as Error);
    expect(() => encodeAnswer('t.m', data)).toThrow(/^the answer of t\.m/);
  });

  it('of an error is left behind where it cannot be carried: the error itself must reach its caller', () => {
    const wire = { kind: 'conflict', code: 'a.b', message: 'no' };
    expect(toWire('t.m', conflict('no', { code: 'a.b', details: { at: [1] } }))).toEqual({
      ...wire,
      details: { at: [1] },
    });
    expect(toWire('t.m', conflict('no', { code: 'a.b', details: { at: new Date() } }))).toEqual(wire);
  });
});
