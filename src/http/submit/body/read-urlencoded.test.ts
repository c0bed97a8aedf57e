import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { invalid, refusalOf, testLimits, tooMany, tooManyBytes } from '../../../../test/support/bodies.js';
import { Refusal } from '../../../model/errors.js';
import { reservedFields } from '../../../model/fields.js';
import { readUrlencoded } from './read-urlencoded.js';

const outcomeOf = (body: Buffer | string) => readUrlencoded(Buffer.from(body), testLimits);

function read(body: Buffer | string) {
  const fields = outcomeOf(body);
  if (fields instanceof Refusal) throw fields;
  return { json: fields.json, reserved: Object.fromEntries(fields.reserved) };
}

describe('readUrlencoded', () => {
  it('decodes plus signs, percent signs and raw UTF-8', () => {
    expect(read('a+b=c%20d&%C3%BC=ü&e=%26%3D').json).toBe('{"a b":"c d","ü":"ü","e":"&="}');
  });

  it('reads what a page without a declared charset sends, beside what is UTF-8', () => {
    expect(read('a=M%FCller+%80&b=%C3%BC&%E9=1&c=ü%20x&d=%zz&e').json).toBe(
      '{"a":"Müller €","b":"ü","é":"1","c":"ü x","d":"%zz","e":""}',
    );
  });

  it('keeps letters that were sent as they are, beside percent signs of either meaning', () => {
    expect(read('a=100% Łódź%21&b=%日本%41&c=%Ł').json).toBe('{"a":"100% Łódź!","b":"%日本A","c":"%Ł"}');
  });

  it.each([
    ['+', ' '],
    ['%41', 'A'],
    ['%E2', 'â'],
    ['%80', '€'],
    ['%', '%'],
    ['%4', '%4'],
  ])('reads any number of %s', (sent, meant) => {
    expect(read(`a=${sent.repeat(300_000)}`).json).toBe(`{"a":"${meant.repeat(300_000)}"}`);
  });

  it('keeps a replacement character that was really sent', () => {
    expect(read('a=%EF%BF%BD&b=%C3%BC').json).toBe('{"a":"\ufffd","b":"ü"}');
  });

  it('takes an empty body for an empty submission', () => {
    expect(read('')).toEqual({ json: '{}', reserved: {} });
    expect(read('&&&').json).toBe('{}');
  });

  it('ignores pairs without a name and keeps names without a value', () => {
    expect(read('=x&=&a&b=&c==').json).toBe('{"a":"","b":"","c":"="}');
  });

  it('leaves a leading question mark in the name', () => {
    expect(read('?a=1&?b=2').json).toBe('{"?a":"1","?b":"2"}');
    expect(read('??a=1').json).toBe('{"??a":"1"}');
  });

  it('follows the rules for repeated, bracketed and reserved names', () => {
    expect(read('a=1&b%5B%5D=2&a=3&_gotcha=&_csrf=t&__proto__=p')).toEqual({
      json: '{"a":["1","3"],"b":["2"],"__proto__":"p"}',
      reserved: { _csrf: 't' },
    });
  });

  it('refuses bytes that are no UTF-8', () => {
    expect(refusalOf(outcomeOf(Buffer.from([0x61, 0x3d, 0xff])))).toEqual(
      invalid('The body is not valid UTF-8'),
    );
  });

  it('takes 1,000 pairs and refuses one more', () => {
    expect(read('a=1&'.repeat(1000)).json).toContain('"1"');
    expect(refusalOf(outcomeOf(`${'a=1&'.repeat(1000)}b`))).toEqual(tooMany('fields', 1000));
  });

  it('holds decoded names to 256 bytes', () => {
    expect(read(`${'%C3%BC'.repeat(128)}=1`).json).toBe(`{"${'ü'.repeat(128)}":"1"}`);
    expect(refusalOf(outcomeOf(`${'%C3%BC'.repeat(128)}x=1`))).toEqual(tooManyBytes('field_name', 256));
  });

  it('gives back whatever the platform encodes', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom('a', 'b', '10', '2', '__proto__', 'toString', '?', ...reservedFields),
    );
    const pairs = fc.array(fc.tuple(name, fc.string({ unit: 'binary', maxLength: 20 })), { maxLength: 20 });
    fc.assert(
      fc.property(pairs, (sent) => {
        const plain = sent.filter(([name]) => !name.endsWith('[]'));
        const { json, reserved } = read(new URLSearchParams(plain).toString());
        const data = new Map<string, string[]>();
        for (const [name, value] of plain) {
          if (name !== '' && !reservedFields.has(name)) data.set(name, [...(data.get(name) ?? []), value]);
        }
        const members = [...data].map(([name, values]) => {
          return `${JSON.stringify(name)}:${JSON.stringify(values.length === 1 ? values[0] : values)}`;
        });
        expect(json).toBe(`{${members.join(',')}}`);
        for (const name of reservedFields) {
          expect(reserved[name]).toBe(plain.find((pair) => pair[0] === name && pair[1] !== '')?.[1]);
        }
      }),
    );
  });

  it('reads as the platform does, wherever that is true to what was sent', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      '=',
      '&',
      '+',
      '%',
      '%2',
      '%zz',
      '%41',
      '%c3%bc',
      '%EF%BB%BF',
      '%26',
      '?',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const body = `x=${pieces.join('')}`;
        const parsed = new URLSearchParams(body);
        fc.pre(!parsed.toString().includes('%EF%BF%BD'));
        const expected = new Map<string, string[]>();
        for (const [name, value] of parsed) {
          if (name !== '') expected.set(name, [...(expected.get(name) ?? []), value]);
        }
        const members = [...expected].map(
          ([name, values]) =>
            `${JSON.stringify(name)}:${JSON.stringify(values.length === 1 ? values[0] : values)}`,
        );
        expect(read(body).json).toBe(`{${members.join(',')}}`);
      }),
      { numRuns: 500 },
    );
  });

  it('never throws on random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (body) => {
        const outcome = outcomeOf(Buffer.from(body));
        expect(outcome instanceof Refusal || typeof JSON.parse(outcome.json) === 'object').toBe(true);
      }),
    );
  });
});
