import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { invalid, refusalOf, testLimits, tooMany, tooManyBytes } from '../../../../test/support/bodies.js';
import { Refusal } from '../../../model/errors.js';
import { reservedFields } from '../../../model/fields.js';
import { readJson } from './read-json.js';

const outcomeOf = (body: Buffer | string) => readJson(Buffer.from(body), testLimits);

function read(body: Buffer | string) {
  const fields = outcomeOf(body);
  if (fields instanceof Refusal) throw fields;
  return { json: fields.json, reserved: Object.fromEntries(fields.reserved) };
}

const refused = (body: Buffer | string) => refusalOf(outcomeOf(body));
const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;

describe('readJson', () => {
  it.each([
    '{}',
    '{"a":1.0,"b":12345678901234567890,"c":-0,"d":1e400}',
    '{"10":1,"2":2,"x":3,"1":4}',
    '{"__proto__":{"x":1},"constructor":null,"toString":[]}',
    '{ "a" :\n\t[ 1 , {"b":"}],:\\""} ] }',
    '{"a[]":"1","\\u0062":"\\ud800","ü😀":"\u2028"}',
    '{"nested":{"_gotcha":"stays","a":1,"a":2}}',
  ])('keeps the text of %s', (body) => {
    expect(read(body)).toEqual({ json: body, reserved: {} });
  });

  it.each([
    ['that is kept as it came', '{"a":1.50,"10":"x","__proto__":{"y":null}}', true],
    ['with a reserved member', '{"a":1,"_gotcha":"x"}', false],
    ['with a name twice', '{"a":1,"a":2}', false],
    ['that is large', JSON.stringify({ a: 'x'.repeat(16 * 1024) }), false],
  ])('gives the values of a body %s only if its text says the same and is small', (_which, body, isGiven) => {
    const fields = outcomeOf(body);
    if (fields instanceof Refusal) throw fields;
    expect(fields.values).toEqual(isGiven ? JSON.parse(fields.json) : null);
  });

  it('trims the text and strips a byte order mark', () => {
    expect(read(' \r\n{"a": 1}\n').json).toBe('{"a": 1}');
    expect(read('\ufeff{"a":1}').json).toBe('{"a":1}');
    expect(refused('\ufeff\ufeff{"a":1}').kind).toBe('invalid');
  });

  it.each([
    ['first', '{"_gotcha":"x", "a": 1.0 ,"b":[2]}', '{"a": 1.0,"b":[2]}'],
    ['in the middle', '{"a":1,"_gotcha" : "x","b":2}', '{"a":1,"b":2}'],
    ['last', '{"a":1,\n "_gotcha":"x"\n}', '{"a":1}'],
    ['alone', '{"_gotcha":"x"}', '{}'],
    ['twice', '{"_gotcha":"x","a":1,"_gotcha":""}', '{"a":1}'],
    ['in disguise', '{"\\u005fgotcha":"x","a":1}', '{"a":1}'],
    [
      'beside a tricky value',
      '{"a":"\\",\\"_gotcha\\":{","_gotcha":"x","b":"]"}',
      '{"a":"\\",\\"_gotcha\\":{","b":"]"}',
    ],
  ])('cuts out a reserved member that stands %s', (_where, body, json) => {
    expect(read(body)).toEqual({ json, reserved: { _gotcha: 'x' } });
  });

  it.each(['""', 'null', 'false', '[]', '[ \n]'])('finds no value in a reserved member with %s', (value) => {
    expect(read(`{"_honeypot": ${value} ,"a":1}`)).toEqual({ json: '{"a":1}', reserved: {} });
  });

  it.each([
    ['"a\\nb"', 'a\nb'],
    ['1.0', '1.0'],
    ['0', '0'],
    ['true', 'true'],
    ['{"x": [1]}', '{"x": [1]}'],
    ['" "', ' '],
  ])('hands over a reserved %s as text', (value, text) => {
    expect(read(`{"altcha":${value}}`)).toEqual({ json: '{}', reserved: { altcha: text } });
  });

  it('lets the last value of a repeated name count, in the place of the first', () => {
    expect(read('{"a":1,"b":2,"a": 3.0 }').json).toBe('{"a": 3.0,"b":2}');
    expect(read('{"a":1,"\\u0061":2}').json).toBe('{"\\u0061":2}');
    expect(read('{"__proto__":1,"__proto__":2}').json).toBe('{"__proto__":2}');
  });

  it.each(['[]', '[{"a":1}]', '"a"', '1', 'null', 'true', ' [] '])('refuses %s: no object', (body) => {
    expect(refused(body)).toEqual(invalid('The body must be a JSON object'));
  });

  it.each([
    '',
    ' ',
    '{',
    '{"a":1',
    '{"a"}',
    '{"a":1,}',
    "{'a':1}",
    '{"a":01}',
    '{"a":"x\ny"}',
    '{"a":"\\q"}',
    '{}{}',
    '{"a":1}]',
    'undefined',
    '{"a":NaN}',
    '{"a":"',
    '{"a":"\\"}',
    ':',
    '"":::',
    ']]]{}',
  ])('refuses the invalid text %j', (body) => {
    expect(refused(body).extra).toEqual({ detail: expect.stringMatching(/^The body is not valid JSON: ./) });
  });

  it('says why in one short line and never repeats the body', () => {
    const secret = 'hunter2'.repeat(5000);
    for (const body of [
      `{"a":${secret}}`,
      secret,
      `{"a":"${secret}`,
      `{"${secret.slice(0, 200)}": \u2028}`,
      '\ud83d\ude00',
    ]) {
      const { detail } = refused(body).extra as { detail: string };
      expect(detail.length).toBeLessThan(150);
      expect(detail).toMatch(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u);
      expect(detail).not.toContain('hunter2');
    }
  });

  it('refuses bytes that are no UTF-8', () => {
    expect(refused(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toEqual(
      invalid('The body is not valid UTF-8'),
    );
    // An encoded surrogate is not UTF-8 either.
    expect(refused(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).toEqual(
      invalid('The body is not valid UTF-8'),
    );
  });

  it('takes 32 levels of nesting and refuses 33, whatever follows', () => {
    expect(read(nested(32)).json).toBe(nested(32));
    expect(refused(nested(33))).toEqual(tooMany('levels', 32));
    expect(read(`{"a":${'['.repeat(31)}${']'.repeat(31)}}`).json).toContain('[[');
    expect(refused(`{"a":${'['.repeat(500_000)}`)).toEqual(tooMany('levels', 32));
    expect(read(`{"a":"${'['.repeat(100)}","b":[[],[]]}`).json).toContain('[[');
  });

  it('takes 50,000 lists and objects and refuses one more', () => {
    const lists = (count: number): string => `{"a":[${Array(count).fill('[]').join(',')}]}`;
    expect(read(lists(49_998)).json).toHaveLength(lists(49_998).length);
    expect(refused(lists(49_999))).toEqual(tooMany('containers', 50_000));
  });

  it('takes 1,000 members at all levels together and refuses one more', () => {
    const members = Array.from({ length: 999 }, (_, i) => `"k${i}":1`).join(',');
    expect(read(`{"deep":{${members}}}`).json).toContain('"k998"');
    expect(refused(`{"deep":{${members}},"one":1}`)).toEqual(tooMany('fields', 1000));
  });

  it('holds names at every level to 256 bytes of UTF-8, however they are written', () => {
    expect(read(`{"a":{"${'ü'.repeat(128)}":1}}`).json).toContain('ü');
    expect(refused(`{"a":[{"${'ü'.repeat(128)}x":1}]}`)).toEqual(tooManyBytes('field_name', 256));
    expect(read(`{"${'\\u0041'.repeat(256)}":1}`).json).toContain('\\u0041');
    expect(refused(`{"${'\\u0041'.repeat(257)}":1}`)).toEqual(tooManyBytes('field_name', 256));
    expect(read(`{"a":"${'x'.repeat(5000)}"}`).json).toContain('x');
  });

  it('decodes a long broken name once at most', () => {
    const body = `{"${'\\u0041'.repeat(100_000)}\\q"${':'.repeat(1000)}`;
    expect(refused(body)).toEqual(tooManyBytes('field_name', 256));
  });
});

/** The expected result for any text within the limits, decided by JSON.parse alone. */
function expectAgreementWithParse(text: string): void {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    expect(refused(text).kind).toBe('invalid');
    return;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    expect(refused(text)).toEqual(invalid('The body must be a JSON object'));
    return;
  }
  const expected = Object.entries(parsed).filter(([name]) => !reservedFields.has(name));
  const { json } = read(text);
  expect(Object.entries(JSON.parse(json) as object)).toEqual(expected);
  if (expected.length === Object.keys(parsed).length)
    expect(JSON.stringify(JSON.parse(json))).toBe(JSON.stringify(parsed));
}

describe('readJson on generated bodies', () => {
  const name = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom('__proto__', '10', '2', 'a', 'b[]', ...reservedFields),
  );
  const member = fc.tuple(name, fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }));
  const gap = fc.constantFrom('', ' ', '\n', '\t ', '\r\n');
  /** Objects as text, so that names can repeat and blanks can be anywhere. */
  const objectText = fc.array(fc.tuple(member, gap), { maxLength: 8 }).map((members) => {
    const written = members.map(([[key, value], blank]) => {
      return `${blank}${JSON.stringify(key)}${blank}:${blank}${JSON.stringify(value, null, blank)}${blank}`;
    });
    return `{${written.join(',')}}`;
  });

  it('reads back every object, minus the reserved members', () => {
    fc.assert(fc.property(objectText, expectAgreementWithParse), { numRuns: 500 });
  });

  it('reads back every JSON value that is an object', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => expectAgreementWithParse(JSON.stringify(value))),
      { numRuns: 300 },
    );
  });

  it('takes or refuses every mutation as JSON.parse does', () => {
    const edit = fc.tuple(
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.nat(3),
      fc.oneof(
        fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', '_gotcha', '""', 'null'),
        fc.string(),
      ),
    );
    fc.assert(
      fc.property(objectText, fc.array(edit, { minLength: 1, maxLength: 4 }), (text, edits) => {
        let mutated = text;
        for (const [where, cut, insert] of edits) {
          const at = Math.floor(where * mutated.length);
          mutated = mutated.slice(0, at) + insert + mutated.slice(at + cut);
        }
        // Cutting may split a surrogate pair, which no UTF-8 body can contain.
        expectAgreementWithParse(Buffer.from(mutated).toString());
      }),
      { numRuns: 1000 },
    );
  });

  it('never throws on random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (body) => {
        const outcome = outcomeOf(Buffer.from(body));
        expect(outcome instanceof Refusal || typeof outcome.json === 'string').toBe(true);
      }),
    );
  });
});
