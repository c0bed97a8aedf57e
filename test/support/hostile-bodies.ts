/** The largest and most invalid bodies that fit into a number of bytes, from a schema of the OpenAPI document. */

export interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

export interface HostileBody {
  readonly what: string;
  readonly text: string;
}

/** As many pieces as fit between the two ends, separated by commas. All are ASCII, or have as many extra bytes as the first. */
function filled(maxBytes: number, before: string, piece: (index: number) => string, after: string): string {
  const more = Buffer.byteLength(piece(0)) - piece(0).length;
  const pieces: string[] = [];
  for (let bytes = before.length + after.length; ; ) {
    const next = piece(pieces.length);
    bytes += next.length + more + 1;
    if (bytes > maxBytes) return `${before}${pieces.join(',')}${after}`;
    pieces.push(next);
  }
}

const times = (maxBytes: number, before: string, piece: string, after: string): string =>
  before +
  piece.repeat(Math.floor((maxBytes - Buffer.byteLength(before + after)) / Buffer.byteLength(piece))) +
  after;

/** Shapes that cost a parser or a validator most, whatever the route accepts. */
export const shapes = (maxBytes: number): readonly HostileBody[] => [
  { what: 'unknown fields', text: filled(maxBytes, '{', (index) => `"x${index}":1`, '}') },
  { what: 'one name', text: times(maxBytes, '{"', 'x', '":1}') },
  { what: 'deep lists', text: '['.repeat(maxBytes / 2) + ']'.repeat(maxBytes / 2) },
  { what: 'deep objects', text: times(maxBytes, '', '{"a":', '') },
  { what: 'empty objects', text: filled(maxBytes, '[', () => '{}', ']') },
  { what: 'different objects', text: filled(maxBytes, '[', (index) => `{"x${index}":1}`, ']') },
  { what: 'poisoned objects', text: filled(maxBytes, '[', () => '{"__proto__":1}', ']') },
  { what: 'ones', text: filled(maxBytes, '[', () => '1', ']') },
  { what: 'a text', text: times(maxBytes, '"', '\\u00e9', '"') },
  { what: 'a number', text: times(maxBytes, '', '9', '') },
  { what: 'blanks', text: ' '.repeat(maxBytes) },
  { what: 'backslashes', text: times(maxBytes, '"', '\\', '') },
];

const chinese = (index: number): string => String.fromCodePoint(0x4e00 + (index % 20_000));
const chineseText = (length: number): string => Array.from({ length }, (_, index) => chinese(index)).join('');

/** Different for each index, and as long as is useful for the format. */
function validItem({ format }: Schema, index: number): string {
  const hex = index.toString(16).padStart(4, '0');
  switch (format) {
    case 'ip-or-cidr':
      return `2001:0db8:${hex}:1234:5678:9abc:def0:1234/${64 + (index % 64)}`;
    case 'origin-host':
      return Array.from({ length: 4 }, (_, label) => chineseText(14) + chinese(index * 4 + label)).join('.');
    case 'email':
      return `a${index}@${'long-name.'.repeat(20)}example.com`;
    default:
      return `01890000-0000-7000-8000-00000000${hex}`;
  }
}

function listBodies(name: string, { items = {}, maxItems = 0 }: Schema, maxBytes: number): HostileBody[] {
  const { maxLength = 100 } = items;
  const list = (what: string, item: (index: number) => unknown): HostileBody => ({
    what: `${name}: ${what}`,
    text: filled(maxBytes, `{"${name}":[`, (index) => JSON.stringify(item(index)), ']}'),
  });
  const exactly = (what: string, item: (index: number) => unknown): HostileBody => ({
    what: `${name}: ${maxItems} ${what}`,
    text: JSON.stringify({ [name]: Array.from({ length: maxItems }, (_, index) => item(index)) }),
  });
  const invalid = (index: number): string => `${index} ${validItem(items, index)}`.slice(0, maxLength);
  return [
    list('ones', () => 1),
    list('the same over and over', () => validItem(items, 0)),
    list('all different', (index) => validItem(items, index)),
    list('all invalid', invalid),
    list('the shortest', () => (items.format === 'ip-or-cidr' ? '::1' : '')),
    exactly('ones', () => 1),
    exactly('duplicates', () => validItem(items, 0)),
    exactly('different', (index) => validItem(items, index)),
    exactly('invalid', invalid),
    exactly('far too long', () => chineseText(2 * maxLength)),
  ].filter(({ text }) => Buffer.byteLength(text) <= maxBytes);
}

function textBodies(name: string, { format, maxLength = 100 }: Schema, maxBytes: number): HostileBody[] {
  const start = format === 'http-url' ? 'https://' : format === 'email' ? 'a@' : '';
  const one = (what: string, text: string): HostileBody => ({
    what: `${name}: ${what}`,
    text: JSON.stringify({ [name]: text }),
  });
  const room = maxBytes - Buffer.byteLength(name) - 30;
  return [
    one('a huge text', start + 'n'.repeat(room)),
    one('a huge text outside of ASCII', start + chineseText(Math.floor(room / 3))),
    one('just too long', start + chineseText(2 * maxLength - start.length)),
  ];
}

const isA = ({ type }: Schema, name: string): boolean => [type].flat().includes(name);

/** Everything in the largest valid body, at once. */
function fullest(properties: Readonly<Record<string, Schema>>): HostileBody {
  const lists = Object.entries(properties).filter(([, schema]) => isA(schema, 'array'));
  const value = ({ items = {}, maxItems = 0 }: Schema) =>
    Array.from({ length: maxItems }, (_, index) => validItem(items, index));
  const body = Object.fromEntries(lists.map(([name, schema]) => [name, value(schema)] as const));
  return { what: 'every list full', text: JSON.stringify({ name: 'Full', ...body }, null, 2) };
}

/** Bodies for each field on its own, and with all lists at once. */
export function fieldBodies(schema: Schema, maxBytes: number): readonly HostileBody[] {
  const { properties = {} } = schema;
  const bodies = Object.entries(properties).flatMap(([name, field]) => {
    if (isA(field, 'array')) return listBodies(name, field, maxBytes);
    if (isA(field, 'string') && field.enum === undefined) return textBodies(name, field, maxBytes);
    return [{ what: `${name}: a number`, text: times(maxBytes, `{"${name}":`, '9', '}') }];
  });
  return Object.values(properties).some((field) => isA(field, 'array'))
    ? [...bodies, fullest(properties)]
    : bodies;
}
