/** The generated JSON Schema says what the rules say: Ajv and the rules give the same verdict on the same data. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type FieldRule, fieldTypes } from '../../contract/field-rule.js';
import { compileRules } from './rules.js';
import { schemaOf } from './schema.js';

const names = ['a', 'b', 'c', 'constructor', 'toString', 'né', '10'];
const unless = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });

const isText = (type: string) => ['text', 'textarea', 'email', 'url', 'tel', 'hidden'].includes(type);

const anyRule = (name: string): fc.Arbitrary<FieldRule> =>
  fc
    .record({
      type: fc.constantFrom(...fieldTypes),
      required: fc.boolean(),
      low: unless(fc.integer({ min: -5, max: 5 })),
      span: unless(fc.integer({ min: 0, max: 8 })),
      multiple: fc.boolean(),
    })
    .map(({ type, required, low, span, multiple }): FieldRule => {
      const rule: FieldRule = { name, type, required };
      if (type === 'number' || type === 'integer') {
        if (low !== undefined) rule.min = low;
        if (span !== undefined) rule.max = (low ?? 0) + span;
      }
      if (isText(type)) {
        if (low !== undefined) rule.min_length = Math.abs(low);
        if (span !== undefined) rule.max_length = Math.abs(low ?? 0) + span + 1;
      }
      if (type === 'choice') rule.choices = ['red', 'green', '5', 'true'];
      if (multiple && (type === 'choice' || type === 'email')) rule.multiple = true;
      return rule;
    });

const someRules = fc
  .subarray(names, { minLength: 1, maxLength: 3 })
  .chain((chosen) => fc.tuple(...chosen.map((name) => anyRule(name))));

/** Texts of every type, near misses of each, and others. */
const texts = fc.constantFrom(
  ...[
    '',
    ' ',
    '\n',
    'x',
    'red',
    'green',
    'blue',
    'on',
    'yes',
    'true',
    '0',
    '1',
    '😀😀😀',
    'ünï',
    'a'.repeat(20),
  ],
  ...[
    'ada@example.com',
    'ada@localhost',
    '@x.y',
    'a b@x.yz',
    'a@b.c',
    'https://x',
    'http://',
    'ftp://x.y',
    'https://a b',
  ],
  ...[
    '2024-02-29',
    '2023-02-29',
    '1900-02-29',
    '2000-02-29',
    '2024-13-01',
    '2024-04-31',
    '29.02.2024',
    '02/29/2024',
  ],
  ...[
    '2024-02-29T10:00',
    '20240229',
    '2024-2-9',
    '10:00',
    '24:00',
    '23:59:59',
    '9:00',
    '1e999',
    '--1',
    '0x10',
    'NaN',
    'Infinity',
  ],
);
const single = fc.oneof(
  { weight: 6, arbitrary: texts },
  fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => !/[\r\d]/.test(text)),
  fc.integer({ min: -20, max: 20 }),
  fc.double({ noNaN: true }),
  fc.constantFrom(true, false, null, Infinity, -0.5, 1e21),
);
const anyValue = fc.oneof(
  { weight: 8, arbitrary: single },
  fc.array(single, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('x', 'y'), fc.integer(), { maxKeys: 2 }),
);

it('agrees with Ajv on 10,000 generated submissions', () => {
  const verdicts = { accepted: 0, rejected: 0 };
  fc.assert(
    fc.property(
      someRules,
      fc.constantFrom('keep' as const, 'reject' as const),
      fc.array(fc.dictionary(fc.constantFrom(...names, 'other'), anyValue), {
        minLength: 100,
        maxLength: 100,
      }),
      (fields, unknownFields, submissions) => {
        // Own properties only: a field may be called toString.
        const ajv = new Ajv2020({
          strict: false,
          strictNumbers: true,
          validateFormats: false,
          ownProperties: true,
        });
        const validate = ajv.compile(schemaOf({ name: 'Form', fields, unknownFields }));
        const rules = compileRules(fields, unknownFields);
        for (const submission of submissions) {
          // JSON has no infinity, but 1e999 parses as it.
          const text = JSON.stringify(submission, (_, value) =>
            value === Infinity ? '<1e999>' : value,
          ).replaceAll('"<1e999>"', '1e999');
          const data: unknown = JSON.parse(text);
          const ours = rules?.judge(JSON.parse(text), []) ?? [];
          // The schema cannot bound a number that is written as text.
          const isAccepted = ours.every(
            ({ field, code }) =>
              (code === 'too_small' || code === 'too_large') &&
              typeof (data as Record<string, unknown>)[field] === 'string',
          );
          // Files are not part of the data.
          const needsFile = ours.some(
            ({ field, code }) =>
              code === 'required' && fields.some(({ name, type }) => name === field && type === 'file'),
          );
          if (needsFile) continue;
          verdicts[isAccepted ? 'accepted' : 'rejected'] += 1;
          expect(validate(data), `${text} ${JSON.stringify(fields)} ${JSON.stringify(ours)}`).toBe(
            isAccepted,
          );
        }
      },
    ),
    { numRuns: 140 },
  );
  expect(verdicts.accepted + verdicts.rejected).toBeGreaterThan(10_000);
  expect(verdicts.accepted).toBeGreaterThan(500);
  expect(verdicts.rejected).toBeGreaterThan(500);
});
