import fc from 'fast-check';
import Mustache from 'mustache';
import { describe, expect, it } from 'vitest';
import {
  parseDocument,
  parseText,
  type Rendered,
  renderDocument,
  renderText,
  type TemplateView,
} from './template.js';

const viewOf = (fields: object): TemplateView => ({
  form: { id: 'f1', public_id: 'pub', name: 'Contact & more', slug: 'contact' },
  project: { id: 'p1', name: 'Shop', slug: 'shop' },
  submission: {
    id: 's1',
    created_at: '2026-11-17T10:00:00.000Z',
    files: [
      { filename: 'a.pdf', size: 1 },
      { filename: 'b.pdf', size: 2 },
    ],
    metadata: { ip: null },
  },
  fields,
});

const escaped = (value: string): string => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function text(template: string, fields: object, escapeValue = escaped): Rendered {
  const parsed = parseText(template);
  if (!('template' in parsed)) throw new Error(parsed.message);
  return renderText(parsed.template, viewOf(fields), escapeValue);
}

function document(template: unknown, fields: object): Rendered {
  const parsed = parseDocument(template);
  if (!('template' in parsed)) throw new Error(`${parsed.path}: ${parsed.message}`);
  return renderDocument(parsed.template, viewOf(fields));
}

const json = (template: unknown, fields: object): unknown => JSON.parse(document(template, fields).text);

describe('a text template', () => {
  it.each<[template: string, fields: object, expected: string]>([
    ['', {}, ''],
    ['Hello', {}, 'Hello'],
    ['New in {{form.name}} ({{project.slug}})', {}, 'New in Contact &amp; more (shop)'],
    ['{{submission.id}} {{submission.created_at}}', {}, 's1 2026-11-17T10:00:00.000Z'],
    ['[{{submission.url}}{{submission.metadata.ip}}]', {}, '[]'],
    ['{{ fields.name }}<br>', { name: '<b>&' }, '&lt;b>&amp;<br>'],
    ['{{fields.age}} {{fields.ok}} {{fields.none}}.', { age: 0, ok: false, none: null }, '0 false .'],
    ['{{fields.list}} {{fields.map}}', { list: ['<', 1], map: { a: null } }, '["&lt;",1] {"a":null}'],
    ['{{fields.first name}} {{fields.größe}}', { 'first name': 'Ada', größe: 'M' }, 'Ada M'],
    ['{{fields.items[0]}}', { 'items[0]': 'bracket' }, 'bracket'],
    ['{{fields.a.b}}', { a: { b: 'path' } }, 'path'],
    ['{{fields.a.b}}', { 'a.b': 'name', a: { b: 'path' } }, 'name'],
    ['{{fields.x.a.b}}', { x: { 'a.b': 'name' } }, 'name'],
    ['{{fields.list.1}}', { list: ['x', 'y'] }, 'y'],
    ['{{#fields.list}}<{{.}}>{{/fields.list}}', { list: ['x', '&'] }, '<x><&amp;>'],
    ['{{#submission.files}}{{filename}} {{/submission.files}}', {}, 'a.pdf b.pdf '],
    ['{{#fields.a}}yes{{/fields.a}}{{^fields.a}}no{{/fields.a}}', { a: 'x' }, 'yes'],
    ['{{#fields.a}}yes{{/fields.a}}{{^fields.a}}no{{/fields.a}}', { a: [] }, 'no'],
    ['{{#fields.a}}{{b}}{{form.id}}{{/fields.a}}', { a: { b: 1 } }, '1f1'],
    ['a\n{{#fields.ok}}\nb\n{{/fields.ok}}\nc', { ok: true }, 'a\nb\nc'],
    ['a{{! nobody sees this }}b', {}, 'ab'],
    ['{{#fields.a}}<{{b}}{{.}}>{{/fields.a}}', { a: [null, { b: 1 }] }, '<><1{"b":1}>'],
    // Values are not templates.
    ['{{fields.name}}', { name: '{{form.id}}{{#a}}' }, '{{form.id}}{{#a}}'],
  ])('%j with %j: %j', (template, fields, expected) => {
    expect(text(template, fields)).toEqual({ text: expected, isCut: false });
  });

  it('escapes every value, and no text of its own', () => {
    const given: string[] = [];
    const template = '<{{fields.a}}{{#fields.l}}<{{.}}{{/fields.l}}{{fields.none}}{{fields.o}}>';
    text(template, { a: 'a', l: ['b', 1], o: { c: 'd' } }, (value) => {
      given.push(value);
      return '';
    });
    expect(given).toEqual(['a', 'b', '1', '', '{"c":"d"}']);
  });

  it.each(['constructor', 'toString', '__proto__', 'length', '__proto__.constructor', 'hasOwnProperty.name'])(
    'finds own values only: %s',
    (name) => {
      const template = `[{{fields.${name}}}{{fields.list.${name}}}{{fields.text.${name}}}{{#fields.list}}{{${name}}}{{/fields.list}}]`;
      expect(text(template, { list: ['a'], text: 'b' }).text).toBe('[]');
    },
  );

  it('finds a field of whatever name', () => {
    const fields = JSON.parse('{"__proto__":"a","constructor":"b","length":"c"}');
    expect(text('{{fields.__proto__}}{{fields.constructor}}{{fields.length}}', fields).text).toBe('abc');
  });

  it.each<[template: string, message: RegExp]>([
    ['{{fields.a', /Unclosed tag \(character 1\)/],
    ['ab {{a}} {{b', /Unclosed tag \(character 10\)/],
    ['{{#a}}', /Unclosed section "a" at 6/],
    ['{{#a}}{{/b}}', /Unclosed section "a" at 6/],
    ['{{/a}}', /Unopened section "a" at 0/],
    ['a {{> b}}', /partials .* not supported \(character 3\)/],
    ['{{ >b}}', /partials/],
    ['{{=<% %>=}}', /delimiters/],
    ['{{{a}}}', /always escaped/],
    ['{{& a}}', /always escaped/],
    ['{{#a}}{{#b}}{{^c}}{{/c}}{{/b}}{{/a}}', /nested more than 2 levels deep \(character 13\)/],
    ['x'.repeat(16_385), /longer than 16384/],
    ['{{a}}'.repeat(201), /more than 200 tags \(character 1001\)/],
    [`{{a${' '.repeat(250)}}}`, /longer than 250 characters \(character 1\)/],
  ])('is rejected when it is saved: %#', (template, message) => {
    expect(parseText(template)).toEqual({ path: '', message: expect.stringMatching(message) });
  });

  it('may be as large as the limits', () => {
    expect(parseText('x'.repeat(16_384))).toHaveProperty('template');
    expect(parseText('{{a}}'.repeat(200))).toHaveProperty('template');
    expect(parseText('{{#a}}{{#b}}x{{/b}}{{/a}}{{#c}}{{/c}}')).toHaveProperty('template');
  });

  it('renders what mustache renders', () => {
    const names = ['fields', 'fields.a', 'fields.b', 'fields.a.b', 'a', 'b', 'a.b', '.'];
    const name = fc.constantFrom(...names);
    const leaf = fc.oneof(
      fc.constantFrom('x', ' ', '\n', '<', '{', '}', '{{! c }}'),
      name.map((n) => `{{${n}}}`),
    );
    const section = (inner: fc.Arbitrary<string>) =>
      fc
        .tuple(fc.constantFrom('#', '^'), name, fc.array(fc.oneof(leaf, inner), { maxLength: 4 }))
        .map(([type, n, parts]) => `{{${type}${n}}}${parts.join('')}{{/${n}}}`);
    const template = fc
      .array(fc.oneof(leaf, section(section(leaf))), { maxLength: 6 })
      .map((parts) => parts.join(''));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<unknown>(null, true, false, 0, 1, '', 'text', '&<'),
        // Mustache throws on null in a list.
        fc.array(tie('value'), { maxLength: 3 }).map((list) => list.filter((item) => item !== null)),
        fc.dictionary(fc.constantFrom('a', 'b'), tie('value')),
      ),
    }));
    const asText = (found: unknown) => (typeof found === 'string' ? found : JSON.stringify(found));
    fc.assert(
      fc.property(template, fc.dictionary(fc.constantFrom('a', 'b'), value), (source, fields) => {
        const parsed = parseText(source);
        fc.pre('template' in parsed);
        const expected = Mustache.render(source, viewOf(fields), undefined, {
          escape: (found: unknown) => escaped(asText(found)),
        });
        expect(text(source, fields)).toEqual({ text: expected, isCut: false });
      }),
      { numRuns: 200 },
    );
  });
});

describe('a document template', () => {
  it.each<[template: unknown, fields: object, expected: unknown]>([
    [{}, {}, {}],
    [[], {}, []],
    [[1, null, true, 'text', '', { a: [] }], {}, [1, null, true, 'text', '', { a: [] }]],
    [{ 'a b': { c: ['{{form.id}}'] } }, {}, { 'a b': { c: ['f1'] } }],
    [{ a: '{{fields.age}}' }, { age: 42 }, { a: 42 }],
    [
      { a: '{{{fields.ok}}}', b: '{{&fields.ok}}', c: '{{ fields.ok }}' },
      { ok: false },
      { a: false, b: false, c: false },
    ],
    [{ a: '{{fields.none}}', b: '{{fields.null}}' }, { null: null }, { a: null, b: null }],
    [
      { a: '{{fields.list}}', b: '{{fields}}' },
      { list: [1, { x: 'y' }] },
      { a: [1, { x: 'y' }], b: { list: [1, { x: 'y' }] } },
    ],
    [{ a: ' {{fields.age}}', b: '{{fields.age}}{{fields.age}}' }, { age: 42 }, { a: ' 42', b: '4242' }],
    [{ a: 'list: {{fields.list}}{{fields.none}}' }, { list: ['x'] }, { a: 'list: ["x"]' }],
    [{ a: '{{#fields.l}}{{.}},{{/fields.l}}' }, { l: [1, 2] }, { a: '1,2,' }],
    // Nothing needs escaping and nothing breaks out.
    [
      { a: 'x {{fields.a}} {{{fields.a}}}', b: 1 },
      { a: '"<&\\\n\u2028' },
      { a: 'x "<&\\\n\u2028 "<&\\\n\u2028', b: 1 },
    ],
    [{ a: '{{fields.constructor}}', b: '{{fields.length}}' }, {}, { a: null, b: null }],
  ])('%j with %j: %j', (template, fields, expected) => {
    expect(json(template, fields)).toEqual(expected);
  });

  it('keeps the order of names and repeats none', () => {
    const template: unknown = JSON.parse('{"b":"{{fields.x}}","__proto__":{"c":"{{fields.x}}"},"a":1}');
    expect(document(template, { x: 1 })).toEqual({
      text: '{"b":1,"__proto__":{"c":1},"a":1}',
      isCut: false,
    });
  });

  it.each<[template: unknown, path: string, message: RegExp]>([
    ['{{fields}}', '', /must be an object or a list/],
    [null, '', /must be an object or a list/],
    [{ a: undefined }, 'a', /must be JSON/],
    [{ blocks: [{}, { text: 'a {{#b}}' }] }, 'blocks[1].text', /Unclosed section "b"/],
    [{ a: { 'x {{b}}': 1 } }, 'a.x {{b}}', /in values, not in names/],
    [{ a: '{{> b}}' }, 'a', /partials/],
    [{ a: '{{=<% %>=}}' }, 'a', /delimiters/],
    [{ a: '{{{b}} }' }, 'a', /Unclosed tag/],
    [{ a: '{{{b}}' }, 'a', /Unclosed tag/],
    [[[[[[[[[[[1]]]]]]]]]], '[0][0][0][0][0][0][0][0][0][0]', /more than 10 levels/],
    [Array(201).fill('{{a}}'), '[200]', /more than 200 tags/],
    [Array(400).fill('x'.repeat(50)), '', /longer than 16384/],
  ])('is rejected when it is saved: %#', (template, path, message) => {
    expect(parseDocument(template)).toEqual({ path, message: expect.stringMatching(message) });
  });

  it('is JSON whatever visitors write', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('a', 'b'), fc.jsonValue()), (fields) => {
        const template = {
          value: '{{fields.a}}',
          text: 'x{{fields.a}}',
          b: ['{{#fields.b}}{{.}}{{/fields.b}}'],
        };
        const { text: rendered, isCut } = document(template, fields);
        const parsed: unknown = JSON.parse(rendered);
        expect(isCut).toBe(false);
        expect(parsed).toHaveProperty('value', JSON.parse(JSON.stringify(fields.a ?? null)));
        expect(Object.keys(Object(parsed))).toEqual(['value', 'text', 'b']);
      }),
    );
  });
});

describe('any template', () => {
  it('is JSON or text, or has a problem, which is never thrown', () => {
    const part = fc.constantFrom(
      '{{',
      '}}',
      '{',
      '}',
      '#',
      '/',
      '^',
      '&',
      '>',
      '=',
      '!',
      ' ',
      'a',
      '.',
      '\n',
    );
    const source = fc.array(part, { maxLength: 20 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(source, (template) => {
        for (const parsed of [parseText(template), parseDocument([template])]) {
          if (!('template' in parsed)) expect(parsed.message).not.toBe('');
          else if ('nodes' in parsed.template) renderText(parsed.template, viewOf({}), escaped);
          else JSON.parse(renderDocument(parsed.template, viewOf({})).text);
        }
      }),
      { numRuns: 5000 },
    );
  });
});

describe('a submission that is too large for its template', () => {
  const list = Array.from({ length: 200_000 }, (_, n) => n);
  const large = 'x'.repeat(1_000_000);

  it('is cut in a text', () => {
    const { text: rendered, isCut } = text('a{{fields.large}}b', { large });
    expect(isCut).toBe(true);
    expect(rendered).toBe(`a${'x'.repeat(64 * 1024 - 1)}`);
  });

  it('is not cut within a character', () => {
    const { text: rendered } = text('{{fields.large}}', { large: `x${'😀'.repeat(40_000)}` });
    expect(rendered.isWellFormed()).toBe(true);
    expect(rendered).toHaveLength(64 * 1024 - 1);
  });

  it.each([
    ['once', '{{#fields.list}}{{/fields.list}}'],
    ['and again for each', '{{#fields.list}}{{#fields.list}}{{/fields.list}}{{/fields.list}}'],
    [
      'with a name that nothing has',
      '{{#fields.list}}{{#fields.list}}{{a.b.c}}{{/fields.list}}{{/fields.list}}',
    ],
  ])('has its list repeated %s up to a limit', (_, template) => {
    const { text: rendered, isCut } = text(template, { list });
    expect({ rendered, isCut }).toEqual({ rendered: '', isCut: true });
  });

  it('fits whole into a document', () => {
    const { text: rendered, isCut } = document({ all: '{{fields}}' }, { large });
    expect(isCut).toBe(false);
    expect(JSON.parse(rendered)).toEqual({ all: { large } });
  });

  it('leaves a document JSON, without what exceeds the limit', () => {
    const template = { a: '{{fields.large}}', b: 'b {{fields.large}}', c: '{{fields.large}}', d: 'end' };
    const { text: rendered, isCut } = document(template, { large });
    expect(isCut).toBe(true);
    const { a, b, c, d } = JSON.parse(rendered);
    expect([a.length, b.length, c, d]).toEqual([1_000_000, 1.5 * 1024 * 1024 - 1_000_002, null, 'end']);
  });
});
