import { describe, expect, it } from 'vitest';
import { aStoredFile, aSubmission, someTime } from '../../../test/support/nouns.js';
import { onlyStore } from '../../../test/support/ports.js';
import type { SubmissionWithFiles } from '../../model/submission.js';
import type { Page } from '../../ports/store.js';
import { createSubmissionExport, csvRows, jsonLines } from './export.js';

const formId = 'the-form';

/** Fake lists that respect paging and `until`, and record the requested pages. */
function exportOf(submissions: readonly SubmissionWithFiles[], rowsInAPage = 1_000) {
  const asked: Page[] = [];
  const askedForData: Page[] = [];
  const pageOf = (until: number | null, page: Page) => {
    const covered = submissions.filter(({ createdAt }) => createdAt < (until ?? Infinity));
    const from = Number(page.after ?? 0);
    const to = from + Math.min(page.limit, rowsInAPage);
    return { items: covered.slice(from, to), next: to < covered.length ? String(to) : null };
  };
  const store = onlyStore({
    fields: { isComplete: async () => false },
    submissions: {
      async list(scope, filter, page) {
        expect(scope).toEqual({ kind: 'form', formId });
        asked.push(page);
        return pageOf(filter.until, page);
      },
      async listData(scope, { until }, page) {
        expect(scope).toEqual({ kind: 'form', formId });
        askedForData.push(page);
        const { items, next } = pageOf(until, page);
        return { rows: items, next };
      },
    },
  });
  const exporter = createSubmissionExport({ store, clock: { now: () => someTime } });
  return { asked, askedForData, exporter, store };
}

async function textOf(lines: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of lines) text += piece;
  return text;
}

const csvOf = (submissions: readonly SubmissionWithFiles[]) =>
  textOf(csvRows(exportOf(submissions).exporter.ofForm(formId)));

/** RFC 4180, read strictly: quoted cells, doubled quotes, CRLF after every row. */
function parseCsv(text: string): string[][] {
  const cell = /"((?:[^"]|"")*)"(,|\r\n)/y;
  const rows: string[][] = [[]];
  while (cell.lastIndex < text.length) {
    const found = cell.exec(text);
    if (!found) throw new Error('Not a quoted cell');
    rows.at(-1)?.push((found[1] ?? '').replaceAll('""', '"'));
    if (found[2] === '\r\n') rows.push([]);
  }
  expect(rows.pop()).toEqual([]);
  return rows;
}

const withData = (...data: readonly Record<string, unknown>[]) =>
  data.map((fields) => aSubmission({ data: JSON.stringify(fields) }));

/** The cells of one field, without the header. */
async function column(
  name: string,
  submissions: readonly SubmissionWithFiles[],
): Promise<(string | undefined)[]> {
  const [header = [], ...rows] = parseCsv(await csvOf(submissions));
  return rows.map((row) => row[header.indexOf(name)]);
}

const runsAsFormula = /^[\s\p{Cc}\p{Cf}"]*[=+\-@＝＋－＠]|^[\t\r]/u;

describe('CSV export', () => {
  it('has a column for every field of every submission, in the order in which they appear', async () => {
    const [submission] = withData({ name: 'Ada' });
    const files = [aStoredFile({ filename: 'a.txt' }), aStoredFile({ filename: 'b.txt' })];
    const rows = parseCsv(
      await csvOf([{ ...aSubmission(), ...submission, files }, ...withData({ mail: 'x@y.z' })]),
    );
    expect(rows[0]).toEqual([
      'submission_id',
      'created_at',
      'name',
      'mail',
      'files',
      'ip',
      'user_agent',
      'submitted_from',
    ]);
    expect(rows[1]).toEqual([
      submission?.id,
      '2026-01-31T12:00:00.007Z',
      'Ada',
      '',
      'a.txt, b.txt',
      '203.0.113.7',
      'Browser',
      'https://example.com/contact',
    ]);
    expect(rows[2]?.slice(2, 5)).toEqual(['', 'x@y.z', '']);
  });

  it.each(['\n=1+1', ' =1+1', '\ufeff=1+1', '\u200b=1+1', '\u00a0@x', '\u0001+1'])(
    'neutralises a formula behind what spreadsheets skip: %j',
    async (text) => {
      const [cell = ''] = await column('f', withData({ f: text }));
      expect(cell).toMatch(/^'/);
      expect(cell.replaceAll("'", '')).toBe(text);
    },
  );

  it('neutralises a formula hidden behind NUL', async () => {
    expect(await column('f', withData({ f: '\0=1+1' }, { f: '\0\0@SUM(A1)' }))).toEqual([
      "'=1+1",
      "'@SUM(A1)",
    ]);
  });

  it('neutralises formulas in names of fields and files, and in what the browser says', async () => {
    const text = await csvOf([
      aSubmission({
        data: '{"=cmd()":"x"}',
        files: [aStoredFile({ filename: '=evil.txt' })],
        metadata: { ip: '', userAgent: '@agent', submittedFrom: '+from', controlFields: null },
      }),
    ]);
    for (const cell of parseCsv(text).flat()) expect(cell).not.toMatch(runsAsFormula);
    expect(text).toContain(`"'=cmd()"`);
  });

  it.each([
    ['a list of texts', ['a', 'b'], 'a, b'],
    ['a mixed list', ['a', 1], '["a",1]'],
    ['an object', { a: [1] }, '{"a":[1]}'],
    ['a number', 1.5, '1.5'],
    ['true', true, 'true'],
    ['null', null, ''],
  ])('writes %s readably', async (_, value, cell) => {
    expect(await column('f', withData({ f: value }))).toEqual([cell]);
  });

  it('shows a number with all the digits that were sent', async () => {
    const exact = ['{"f":12345678901234567890}', '{"f":1.50}'].map((data) => aSubmission({ data }));
    expect(await column('f', exact)).toEqual(['12345678901234567890', '1.50']);
  });

  it('gives a field that is called like a fixed column a title of its own', async () => {
    const [header = [], row = []] = parseCsv(await csvOf(withData({ ip: 'mine', files: 'none' })));
    expect(new Set(header).size).toBe(header.length);
    expect(row[header.indexOf('ip')]).toBe('203.0.113.7');
    expect(row).toContain('mine');
  });

  it('treats names that objects know as ordinary names', async () => {
    const data = ['{"__proto__":"a","constructor":"b"}', '{"toString":"c"}'];
    const rows = parseCsv(await csvOf(data.map((text) => aSubmission({ data: text }))));
    expect(rows[0]?.slice(2, 5)).toEqual(['__proto__', 'constructor', 'toString']);
    expect(rows[1]?.slice(2, 5)).toEqual(['a', 'b', '']);
    expect(rows[2]?.slice(2, 5)).toEqual(['', '', 'c']);
  });

  it('is a header alone for a form without submissions', async () => {
    expect(parseCsv(await csvOf([]))).toHaveLength(1);
  });

  it('lets one submission with a thousand fields push out none that others have, and loses none of its own', async () => {
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`junk${index}`, 'x']));
    const data = [wide, { email: 'ada@example.com' }, { email: 'alan@example.com' }];
    const [header = [], ...rows] = parseCsv(await csvOf(data.flatMap((fields) => withData(fields))));
    expect(header.length).toBeLessThan(300);
    expect(rows.map((row) => row[header.indexOf('email')])).toEqual([
      '',
      'ada@example.com',
      'alan@example.com',
    ]);
    const others = JSON.parse(rows[0]?.[header.indexOf('other_fields')] ?? '') as object;
    const own = header.filter((name) => name.startsWith('junk'));
    expect(new Set([...own, ...Object.keys(others)])).toEqual(new Set(Object.keys(wide)));
  });

  it('counts a name that a submission has several times, or writes in another way, once', async () => {
    // One name too many for the table: the one in the fewest submissions is left out.
    const twice = '"twice":1,"tw\\u0069ce":2,"\\u0074wice":3';
    const wide = Array.from({ length: 199 }, (_, index) => `"n${index}":"x"`).join();
    const data = [`{${twice}}`, `{"other":1,${wide}}`, `{"other":1,${wide}}`];
    const [header = []] = parseCsv(await csvOf(data.map((text) => aSubmission({ data: text }))));
    expect(header).toContain('other');
    expect(header).not.toContain('twice');
    expect(header).toContain('other_fields');
  });

  it('has no column for other fields when there are none', async () => {
    const [header = []] = parseCsv(await csvOf(withData({ email: 'ada@example.com' })));
    expect(header).not.toContain('other_fields');
  });

  it('covers what was there when it began and nothing later', async () => {
    const rows = parseCsv(
      await csvOf([
        aSubmission({ createdAt: someTime + 1, data: '{"later":"1"}' }),
        aSubmission({ createdAt: someTime, data: '{"now":"1"}' }),
      ]),
    );
    expect(rows[0]).not.toContain('later');
    expect(rows).toHaveLength(2);
  });

  it('leaves out one that was committed behind the look for columns rather than show it without a field', async () => {
    const submissions = withData({ name: 'Ada' });
    const lines = csvRows(exportOf(submissions).exporter.ofForm(formId));
    const header = (await lines.next()).value as string;
    submissions.unshift(...withData({ name: 'Grace', phone: '1' }, { name: 'Alan' }));
    const rows = parseCsv(header + (await textOf(lines)));
    expect(rows.map((row) => row[2])).toEqual(['name', 'Alan', 'Ada']);
  });

  it('reads page by page, twice, each page from where the last ended, and every row once', async () => {
    const many = Array.from({ length: 1_201 }, (_, index) => aSubmission({ data: `{"n":"${index}"}` }));
    const { exporter, asked, askedForData } = exportOf(many);
    const [header = [], ...rows] = parseCsv(await textOf(csvRows(exporter.ofForm(formId))));
    expect(rows.map((row) => row[header.indexOf('n')])).toEqual(many.map((_, index) => String(index)));
    expect(askedForData.map(({ after }) => after)).toEqual([null, '1000']);
    expect(asked.map(({ after }) => after)).toEqual([null, '200', '400', '600', '800', '1000', '1200']);
  });
});

describe.each(['csv', 'jsonLines'] as const)('%s of large submissions', (format) => {
  it('hands on what is large before it reads the next page, however few columns there are', async () => {
    const large = Array.from({ length: 40 }, () => ({ text: 'x'.repeat(100_000) }));
    const { asked, exporter } = exportOf(withData(...large), 1);
    const lines = csvRows(exporter.ofForm(formId));
    await lines.next();
    const askedBefore = asked.length;
    await lines.next();
    expect(asked.length - askedBefore).toBe(1);
    await lines.return(undefined);
  });

  it('is written in pieces, between which others have their turn', async () => {
    const fields = Object.fromEntries(
      Array.from({ length: 900 }, (_, i) => [`field${i}`, `${i} `.repeat(200)]),
    );
    const data = JSON.stringify(fields);
    const one = exportOf(Array.from({ length: 200 }, () => aSubmission({ data })));
    // As slow as for a row of a mebibyte: parses the text once more.
    const write = (submission: SubmissionWithFiles) => JSON.stringify(JSON.parse(submission.data));
    let pieces = 0;
    let turns = 0;
    const other = setInterval(() => {
      turns += 1;
    }, 0);
    const lines =
      format === 'csv' ? csvRows(one.exporter.ofForm(formId)) : jsonLines(one.exporter.ofForm(formId), write);
    for await (const _ of lines) pieces += 1;
    clearInterval(other);
    expect(pieces).toBeGreaterThan(3);
    expect(turns).toBeGreaterThan(3);
  });
});

describe('JSON lines export', () => {
  const write = ({ id, data }: SubmissionWithFiles) => `{"id":"${id}","data":${data}}`;

  it('gives each submission its line, in the order of the list', async () => {
    const many = Array.from({ length: 201 }, () => aSubmission({ data: '{"big":12345678901234567890}' }));
    const { exporter, asked } = exportOf(many);
    const text = await textOf(jsonLines(exporter.ofForm(formId), write));
    expect(text).toBe(many.map((submission) => `${write(submission)}\n`).join(''));
    expect(asked).toHaveLength(2);
  });

  it('is empty for a form without submissions', async () => {
    expect(await textOf(jsonLines(exportOf([]).exporter.ofForm(formId), write))).toBe('');
  });

  it('reads no further page than is asked for', async () => {
    const { exporter, asked } = exportOf(Array.from({ length: 1_500 }, () => aSubmission()));
    for await (const _ of jsonLines(exporter.ofForm(formId), write)) break;
    expect(asked).toHaveLength(1);
  });
});

describe('a CSV export from a store that fails', () => {
  it('fails as well, also when it fails while the page before is looked at', async () => {
    const { askedForData, exporter, store } = exportOf(withData({ a: 'x'.repeat(100_000) }, { b: 1 }), 1);
    const { listData } = store.submissions;
    store.submissions.listData = (...args) =>
      askedForData.length === 1 ? Promise.reject(new Error('away')) : listData(...args);
    await expect(textOf(csvRows(exporter.ofForm(formId)))).rejects.toThrow('away');
  });
});

describe('a CSV export whose client has left', () => {
  it('reads no further', async () => {
    const many = withData(...Array.from({ length: 2_000 }, (_, n) => ({ n })));
    const { asked, askedForData, exporter } = exportOf(many, 200);
    const text = await textOf(csvRows(exporter.ofForm(formId), () => askedForData.length < 3));
    expect(text).toBe('');
    expect(askedForData.length).toBe(3);
    expect(asked).toEqual([]);
  });
});
