import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testLimits } from '../../../../test/support/bodies.js';
import { Refusal } from '../../../model/errors.js';
import { isReserved, type SubmittedFields } from '../../../model/fields.js';
import { readJson } from '../body/read-json.js';
import { dialectOfFields, dialectOfHeaders, formNamedIn, translated, wayOf } from './recognise.js';
import { staticforms } from './staticforms.js';
import { web3forms } from './web3forms.js';

const read = (body: object): SubmittedFields => {
  const fields = readJson(Buffer.from(JSON.stringify(body)), testLimits);
  if (fields instanceof Refusal) throw fields;
  return fields;
};

/** Names that other services use, but that are not signs of one. */
const lure = fc.constantFrom(
  'subject',
  'redirect',
  'redirectTo',
  'replyto',
  'ccemail',
  'apiKey',
  'apikey',
  'accessKey',
  'blocks',
  'fi',
  'fi-',
  'fi-text',
  'fi-text-',
  'xfi-text-a',
  'my_honeypot',
  '_subject',
  '_next',
  '_gotcha',
  '_email.subject',
);
const signs = /^(?:access_key|form-name|fi-[a-z]+-.+)$/i;
const names = fc.oneof(lure, fc.string()).filter((name) => !signs.test(name));

const lures = fc.oneof(
  fc.json(),
  fc.constantFrom('"fi-text-a"', ['x', 'fi-text-a'], { access_key: 'x', 'form-name': 'y', 'fi-text-a': 'z' }),
);

describe('a request without an explicit sign', () => {
  it('is recognised by none of its fields', () => {
    fc.assert(
      fc.property(fc.dictionary(names, lures), (body) => {
        expect(dialectOfFields(read(body))).toBeNull();
      }),
    );
  });

  it('is recognised by none of its headers', () => {
    const header = fc
      .oneof(fc.string(), fc.constantFrom('accept', 'x-requested-with', 'x-api-key', 'x-formspree-client'))
      .filter((name) => name !== 'formspree-client' && name !== 'forminit-sdk-version');
    fc.assert(
      fc.property(fc.dictionary(header, fc.string()), (headers) => {
        expect(dialectOfHeaders(headers)).toBeNull();
      }),
    );
  });

  it('is recognised by no path below /f/, but for .json', () => {
    const path = fc.string().filter((text) => !text.endsWith('.json'));
    fc.assert(
      fc.property(path, (text) => {
        expect(wayOf('POST', `/f/${text}`)?.dialect).toBeNull();
      }),
    );
  });

  it('goes nowhere else but with POST and its preflight', () => {
    fc.assert(
      fc.property(fc.constantFrom('GET', 'HEAD', 'PUT', 'DELETE'), fc.webPath(), (method, path) => {
        fc.pre(!path.startsWith('/f/'));
        expect(wayOf(method, path)).toBeNull();
      }),
    );
  });
});

describe('translated', () => {
  it('takes out what steers the service, and leaves the rest byte for byte', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (body) => {
        const fields = read(body);
        const { json, reserved } = translated(fields, web3forms);
        const kept = Object.entries(body).filter(
          ([name]) => !isReserved(name) && web3forms.steers(name) === null,
        );
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(Object.fromEntries(kept))));
        for (const name of reserved.keys()) expect(kept.map(([key]) => key)).not.toContain(name);
      }),
    );
    expect(translated(read({ a: 1, subject: 'Hi', n: 2 }), web3forms)).toEqual({
      json: '{"a":1,"n":2}',
      values: null,
      reserved: new Map([['subject', 'Hi']]),
    });
  });

  it('takes the first of many values, and none that is empty', () => {
    const { reserved } = translated(
      read({ subject: ['first', 'second'], replyto: '', redirect: null, ccemail: [], webhook: [1] }),
      web3forms,
    );
    expect([...reserved]).toEqual([['subject', 'first']]);
  });

  it('renames honeypots and tokens', () => {
    expect(translated(read({ the_Honeypot: 'x' }), staticforms).reserved.get('_honeypot')).toBe('x');
    expect(
      translated(read({ recaptcha_response: 't' }), web3forms).reserved.get('g-recaptcha-response'),
    ).toBe('t');
  });
});

describe('formNamedIn', () => {
  const submit = wayOf('POST', '/submit');
  const root = wayOf('POST', '/');
  it.each([
    [{ access_key: 'a', apikey: 'b', apiKey: 'c' }, 'a', 'web3forms'],
    [{ apikey: 'b', apiKey: 'c' }, 'b', 'web3forms'],
    [{ apiKey: 'c', accessKey: 'd' }, 'c', 'staticforms'],
    [{ accessKey: 'd' }, 'd', 'staticforms'],
  ])('finds the form of %j', (body, id, name) => {
    const found = submit && formNamedIn(submit, read(body));
    expect([found?.id, found?.dialect.name]).toEqual([id, name]);
  });

  it('finds none where none is named', () => {
    for (const body of [{}, { access_key: '' }, { access_key: null }, { 'form-name': 'x' }])
      expect(submit && formNamedIn(submit, read(body))).toBeNull();
    expect(root && formNamedIn(root, read({ access_key: 'x' }))).toBeNull();
    expect(root && formNamedIn(root, read({ 'form-name': 'x' }))?.id).toBe('x');
  });
});
