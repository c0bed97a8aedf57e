import { expect, it } from 'vitest';
import { redactData, redactText } from './redaction.js';

const names = new Set(['iban', 'file']);

it('takes out the values of the fields and leaves all others byte for byte', () => {
  const data = '{ "name": "A\\u0064a", "iban":["DE12 3456",{"x":"inner"}], "n": 1.00,"iban":"twice" }';
  const { data: redacted, values } = redactData(data, names);
  expect(redacted).toBe('{"name": "A\\u0064a","iban":"[redacted]","n": 1.00,"iban":"[redacted]"}');
  expect(values).toEqual(['DE12 3456', 'inner', 'twice']);
  expect(redactData(redacted, names)).toEqual({ data: redacted, values: [] });
  const other = '{ "a" : 1 }';
  expect(redactData(other, names)).toEqual({ data: other, values: [] });
});

it('takes them out of what was made of the submission', () => {
  const values = ['DE12 3456', 'yes'];
  const event = {
    form: { iban: 'a form may be called so' },
    submission: { data: { iban: 'DE12 3456', ok: 'yes', text: 'pay DE12 3456 now, yes' }, files: [] },
  };
  expect(JSON.parse(redactText(JSON.stringify(event), names, values))).toEqual({
    form: { iban: 'a form may be called so' },
    submission: {
      data: { iban: '[redacted]', ok: '[redacted]', text: 'pay [redacted] now, yes' },
      files: [],
    },
  });
  expect(redactText('IBAN: DE12 3456, yes', names, values)).toBe('IBAN: [redacted], yes');
  expect(redactText('{ "x" : 1 }', names, values)).toBe('{ "x" : 1 }');
});
