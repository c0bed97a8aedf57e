import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatheredBytes } from './gathered-bytes.js';

describe('GatheredBytes', () => {
  it('gives back every sequence of pieces, shared or not', () => {
    const piece = fc.tuple(fc.uint8Array({ maxLength: 50 }), fc.boolean());
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const gathered = new GatheredBytes();
        for (const [bytes, isShared] of pieces) gathered.add(Buffer.from(bytes), isShared);
        expect(gathered.bytes).toEqual(Buffer.concat(pieces.map(([bytes]) => bytes)));
      }),
    );
  });

  it('does not copy a text that came in one piece of its own', () => {
    const only = Buffer.from('all of it');
    const gathered = new GatheredBytes();
    gathered.add(only, false);
    expect(gathered.bytes.buffer).toBe(only.buffer);
    expect(gathered.bytes.byteOffset).toBe(only.byteOffset);
  });

  it('does not hold on to the larger buffer that a shared piece is a window into', () => {
    const chunk = Buffer.alloc(64 * 1024);
    const gathered = new GatheredBytes();
    gathered.add(chunk.subarray(10, 11), true);
    expect(gathered.bytes.buffer).not.toBe(chunk.buffer);
  });

  it('takes a million single bytes into one block', () => {
    const gathered = new GatheredBytes();
    const byte = Buffer.from('x');
    for (let i = 0; i < 1_000_000; i += 1) gathered.add(byte, false);
    expect(gathered.bytes.length).toBe(1_000_000);
    expect(gathered.bytes.buffer.byteLength).toBeLessThanOrEqual(2_100_000);
  });
});
