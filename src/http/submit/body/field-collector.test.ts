import { describe, expect, it } from 'vitest';
import { FieldCollector, plainName } from './field-collector.js';

function collect(...pairs: readonly (readonly [string, string])[]) {
  const collector = new FieldCollector();
  for (const [name, value] of pairs) collector.add(name, value);
  const { json, reserved } = collector.collected();
  return { json, reserved: Object.fromEntries(reserved) };
}

describe('FieldCollector', () => {
  it('keeps the order of first appearance, also of names that look like numbers', () => {
    expect(collect(['10', 'a'], ['2', 'b'], ['x', 'c'], ['1', 'd']).json).toBe(
      '{"10":"a","2":"b","x":"c","1":"d"}',
    );
  });

  it('makes an array of a repeated name, in the place of the first', () => {
    expect(collect(['a', '1'], ['b', '2'], ['a', '3'], ['a', '4']).json).toBe('{"a":["1","3","4"],"b":"2"}');
  });

  it('makes name[] an array even when it comes once, and merges it with name', () => {
    expect(collect(['a[]', '1']).json).toBe('{"a":["1"]}');
    expect(collect(['a', '1'], ['a[]', '2']).json).toBe('{"a":["1","2"]}');
    expect(collect(['a[]', '1'], ['a', '2']).json).toBe('{"a":["1","2"]}');
  });

  it('leaves [] alone and takes only one pair of brackets', () => {
    expect(collect(['[]', '1']).json).toBe('{"[]":"1"}');
    expect(collect(['a[][]', '1']).json).toBe('{"a[]":["1"]}');
    expect(collect(['a[b]', '1']).json).toBe('{"a[b]":"1"}');
    expect(plainName('a[]')).toBe('a');
  });

  it('takes the names of Object.prototype for ordinary ones', () => {
    expect(collect(['__proto__', 'x'], ['constructor', 'y'], ['toString[]', 'z']).json).toBe(
      '{"__proto__":"x","constructor":"y","toString":["z"]}',
    );
  });

  it('sets reserved names apart, with the first value that is not empty', () => {
    expect(
      collect(['_gotcha', ''], ['a', '1'], ['_gotcha[]', 'x'], ['_gotcha', 'y'], ['_csrf', 't']),
    ).toEqual({
      json: '{"a":"1"}',
      reserved: { _gotcha: 'x', _csrf: 't' },
    });
    expect(collect(['_honeypot', ''])).toEqual({ json: '{}', reserved: {} });
  });

  it('writes quotes, control characters and lone surrogates as valid JSON', () => {
    const { json } = collect(['a"\\', 'line\nbreak\u0000\ud800']);
    expect(json).toBe('{"a\\"\\\\":"line\\nbreak\\u0000\\ud800"}');
  });

  it('writes every character as JSON.stringify does, in short texts and in long ones', () => {
    for (let unit = 0; unit <= 0xffff; unit += 1) {
      for (const text of [String.fromCharCode(unit), `${'long '.repeat(20)}${String.fromCharCode(unit)}`]) {
        if (collect([`n${text}`, text]).json !== JSON.stringify({ [`n${text}`]: text })) {
          throw new Error(`U+${unit.toString(16)} in ${text.length} letters`);
        }
      }
    }
  });
});
