import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Format, readRows } from './read-rows.js';
import { isUnreadable, type ReadRow } from './rows.js';

async function* chunks(content: string | Buffer, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(content);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function rowsOf(content: string | Buffer, { format = 'detect' as Format, size = 7 } = {}) {
  const { columns, rows } = await readRows(chunks(content, size), format);
  const read: ReadRow[] = [];
  for await (const row of rows) read.push(row);
  return { columns, read };
}

/** `line: name=value …` or `line! reason`. */
const told = (row: ReadRow): string =>
  isUnreadable(row)
    ? `${row.line}! ${row.reason}`
    : `${row.line}: ${row.cells.map(({ name, json, text }) => `${name}=${json ?? text}`).join(' ')}`;

const read = async (content: string | Buffer, options = {}): Promise<readonly string[]> =>
  (await rowsOf(content, options)).read.map(told);

/** The least CPU time that a file of four times the size takes, relative to the smaller one. Reading everything twice would double it. */
async function growthOf(fileOf: (size: number) => string, size: number): Promise<number> {
  const costs = [Infinity, Infinity];
  for (let round = 0; round < 3; round += 1)
    for (const [index, text] of [fileOf(1), fileOf(4)].entries()) {
      const from = process.cpuUsage();
      await rowsOf(text, { size }).catch(() => {});
      const { user, system } = process.cpuUsage(from);
      costs[index] = Math.min(costs[index] ?? Infinity, user + system);
    }
  return (costs[1] ?? Infinity) / Math.max(costs[0] ?? 0, 1_000);
}

/** Work that grows with the square of the size takes 16 times as long. */
const maxGrowth = 9;

it.each([
  ['lists next to each other', 65_536, (n: number) => `{${'[]'.repeat(25_000 * n)}`],
  [
    'lists in small pieces',
    16,
    (n: number) => `{"a":"${'x'.repeat(100_000 * n)}",${'[],'.repeat(10_000 * n)}`,
  ],
  ['a quote in small pieces', 64, (n: number) => `a\n"\n${'""'.repeat(60_000 * n)}`],
  ['a line in small pieces', 64, (n: number) => `a\n${'x'.repeat(150_000 * n)}`],
  ['quotes that open in each row', 65_536, (n: number) => `a,b\n${'a","\n'.repeat(4_000 * n)}`],
])('takes time in proportion to the file: %s', { timeout: 120_000 }, async (_, size, fileOf) => {
  expect(await growthOf(fileOf, size)).toBeLessThan(maxGrowth);
});

describe('CSV', () => {
  it('reads commas, semicolons and tabs, with and without a byte order mark', async () => {
    for (const sign of [',', ';', '\t']) {
      for (const mark of ['', '\ufeff']) {
        const text = `${mark}"a${sign}x"${sign}b\r\n1${sign}"2 ""3"""\r\n`;
        expect(await read(text)).toEqual([`2: a${sign}x=1 b=2 "3"`]);
      }
    }
  });

  it('tells the line in which a row begins', async () => {
    expect(await read('a,b\n1,"x\ny"\n\n2,z\n')).toEqual(['2: a=1 b=x\ny', '5: a=2 b=z']);
  });

  it('keeps formulas as text', async () => {
    expect(await read('a,b\n=1+1,"@SUM(A1)"\n')).toEqual(['2: a==1+1 b=@SUM(A1)']);
  });

  it('reports broken rows by line, and loses no other', async () => {
    for (const size of [1, 7, 1_000]) {
      expect(
        await read('a,b\n1,2\n3\n4,5,6\n7,"8"9\n10,5" pipe\n"11","12\n13,14\n15,"16"\n', { size }),
      ).toEqual([
        '2: a=1 b=2',
        '3! has 1 cell, but the header has 2',
        '4! has 3 cells, but the header has 2',
        '5! a closing quote is not followed by a delimiter',
        '6: a=10 b=5" pipe',
        '7! a closing quote is not followed by a delimiter',
        '8: a=13 b=14',
        '9: a=15 b=16',
      ]);
    }
  });

  it('goes on after a quote that is never closed, however much follows', async () => {
    expect(await read('a,b\n1,2\n3,"4\n5,6\n')).toEqual([
      '2: a=1 b=2',
      '3! a quote is never closed',
      '4: a=5 b=6',
    ]);
    const rows = await read(`a,b\n3,"4\n${'5,6\n'.repeat(300_000)}7,8`, { size: 65_536 });
    expect([rows[0], rows[1], rows.at(-1), rows.length]).toEqual([
      '2! is longer than 1 MiB; perhaps a quote is never closed',
      '3: a=5 b=6',
      '300003: a=7 b=8',
      300_002,
    ]);
    await expect(read(`a,b\n${'a","\n'.repeat(10_000)}`, { size: 65_536 })).rejects.toThrow(
      /Too many rows up to line \d+ have a quote that is never closed/,
    );
    const line = `a,b\n1,2\n${'x'.repeat(1_200_000)}`;
    await expect(read(line, { size: 65_536 })).rejects.toThrow('The row in line 3 is longer than 1 MiB');
  });

  it('reads back what was written, in chunks of any size', async () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', 'ü', '👋', '"', ',', ';', '\n', '\r', ' ', '='),
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 }),
        fc.constantFrom(',', ';', '\t'),
        fc.integer({ min: 1, max: 20 }),
        async (rows, delimiter, size) => {
          const text = stringify([['a', 'b', 'c'], ...rows], {
            delimiter,
            quoted: true,
            record_delimiter: 'windows',
          });
          const { read: found } = await rowsOf(text, { size });
          expect(found.map(({ original }) => original)).toEqual(rows);
        },
      ),
    );
  });

  it('rejects a table with too many columns before its first row', async () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `c${index}`).join(',');
    await expect(rowsOf(`${names}\n`, { size: 65_536 })).rejects.toThrow(
      'The file has 10,000 columns. At most 1,000 can be imported.',
    );
  });

  it.each([
    ['UTF-16', Buffer.from('\ufeffa,b\n1,2\n', 'utf16le'), 'is UTF-16 or binary'],
    ['UTF-16 without a mark', Buffer.from('a,b\n1,2\n', 'utf16le'), 'is UTF-16 or binary'],
    ['Latin-1', Buffer.from('a,b\nJürgen,2\n', 'latin1'), 'is not UTF-8 text'],
    ['half a letter', Buffer.from('a,b\n1,ü').subarray(0, -1), 'is not UTF-8 text'],
    ['nothing', Buffer.alloc(0), 'The file is empty.'],
  ])('rejects %s', async (_, bytes, reason) => {
    await expect(rowsOf(bytes)).rejects.toThrow(reason);
  });
});

describe('JSON', () => {
  const list = '[\n {"a": 1.0, "b": "x"},\n\n {"a": [1, {"c": "]}"}], "b": null}\n]';

  it('reads the same rows in chunks of any size', async () => {
    for (const size of [1, 2, 3, 1_000]) {
      expect(await read(list, { size })).toEqual(['2: a=1.0 b="x"', '4: a=[1, {"c": "]}"}] b=null']);
    }
  });

  it('reads the list of rows that an object holds', async () => {
    const text =
      '{"fields": ["_id", "m"], "submissions": [{"_id": 2, "m": "x"},\n{"_id": 3, "m": "y"}], "more": [{}]}';
    for (const size of [1, 9, 1_000]) {
      expect(await read(text, { size })).toEqual(['1: _id=2 m="x"', '2: _id=3 m="y"']);
    }
  });

  it('tells recorded data and fields apart', async () => {
    const { read: rows } = await rowsOf('{"id":"1","data":{"ip":"x"},"metadata":{"ip":"y"}}\n');
    const [row] = rows;
    if (!row || isUnreadable(row)) throw new Error('unreadable');
    expect(row.cells.map(({ name, text, isMeta }) => [name, text, isMeta])).toEqual([
      ['id', '1', true],
      ['ip', 'y', true],
      ['ip', 'x', false],
    ]);
    expect(row.fieldsText).toBe('{"ip":"x"}');
  });

  it('reports broken lines and elements, and goes on', async () => {
    expect(await read('{"a":1}\n{"a":\n\n[1]\n7\n{"a":2}')).toEqual([
      '1: a=1',
      '2! is not valid JSON',
      '4! is not a JSON object',
      '5! is not a JSON object',
      '6: a=2',
    ]);
    expect(await read('[{"a":1}, 7, "x", {"a" 2}, {"a":3}')).toEqual([
      '1: a=1',
      '1! is not a JSON object',
      '1! is not a JSON object',
      '1! is not valid JSON',
      '1: a=3',
      '1! is cut off: the JSON ends in the middle of it',
    ]);
  });

  it('holds rows to the limits of submissions', async () => {
    const wide = `{${Array.from({ length: 1_200 }, (_, index) => `"f${index}":1`).join(',')}}`;
    const long = `{"a":"${'x'.repeat(1024 * 1024)}"}`;
    const deep = `{"a":${'['.repeat(100)}${']'.repeat(100)}}`;
    const named = `{"${'n'.repeat(300)}":1}`;
    const bad = [
      'has more than 1,000 fields',
      'is longer than 1 MiB',
      'is nested too deeply',
      'has a name that is longer than 256 bytes',
    ];
    for (const [between, around] of [
      ['\n', ['', '']],
      [',\n', ['[', ']']],
    ] as const) {
      const text = around[0] + ['{"a":1}', wide, long, deep, named, '{"a":2}'].join(between) + around[1];
      expect(await read(text, { size: 65_536 })).toEqual([
        '1: a=1',
        ...bad.map((reason, index) => `${index + 2}! ${reason}`),
        '6: a=2',
      ]);
    }
  });

  it('rejects what is no JSON where JSON was announced', async () => {
    await expect(rowsOf('a,b\n1,2\n', { format: 'json' })).rejects.toThrow('The file is not JSON');
  });
});
