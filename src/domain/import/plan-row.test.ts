import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ImportSource } from '../../contract/import.js';
import { lowestIdAt } from '../../kernel/ids.js';
import { safeCell, unsafeCell } from '../submissions/spreadsheet-cell.js';
import { type PlannedRow, planRow, rowHash, rowId } from './plan-row.js';
import { readRows } from './read-rows.js';
import { isUnreadable } from './rows.js';
import { faultOfMapping, isOwnCsv, usesOf } from './sources.js';

const now = Date.UTC(2026, 0, 1);

async function* whole(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

async function planned(text: string, from: ImportSource | null = null, map: Record<string, string> = {}) {
  const { rows } = await readRows(whole(text), 'detect');
  const plans: (PlannedRow | { readonly reason: string })[] = [];
  for await (const row of rows) {
    if (isUnreadable(row)) throw new Error(row.reason);
    const uses = usesOf(row.cells, from, new Map(Object.entries(map)));
    const rules = { order: null, defaultAt: null, now, isOwnCsv: isOwnCsv(row.cells) };
    plans.push(planRow(row, uses, rules));
  }
  return plans;
}

const plannedOne = async (...given: Parameters<typeof planned>): Promise<PlannedRow> => {
  const [plan] = await planned(...given);
  if (!plan || 'reason' in plan) throw new Error(plan?.reason);
  return plan;
};

const day = '2024-01-05T15:04:05Z';

describe('planRow', () => {
  it.each<[ImportSource, string]>([
    ['formspree', `{"fields":["_id"],"submissions":[{"_date":"${day}","_id":7,"name":"Ada"}]}`],
    [
      'netlify',
      `[{"id":"7","number":1,"name":"Ada L","data":{"name":"Ada","ip":"203.0.113.7"},"created_at":"${day}"}]`,
    ],
    [
      'basin',
      `[{"id":7,"payload_params":{"name":"Ada"},"ip":"203.0.113.7","spam":false,"created_at":"${day}"}]`,
    ],
    [
      'formsubmit',
      `{"submissions":[{"form_url":"x","form_data":{"name":"Ada"},"submitted_at":{"date":"2024-01-05 15:04:05.000000","timezone":"UTC"}}]}`,
    ],
    ['formcarry', `{"results":[{"_id":"7","createdAt":"${day}","fields":{"name":"Ada"}}]}`],
    ['web3forms', `id,created_at,access_key,name\n7,${day},secret,Ada\n`],
    ['formspark', `_id,_created_at,name\n7,${day},Ada\n`],
    ['forminit', `Submission Date,name\n${day},Ada\n`],
    ['staticforms', `submittedAt,name\n${day},Ada\n`],
  ])('reads an export of %s', async (from, text) => {
    const { data, at, sourceId } = await plannedOne(text, from);
    expect([data, new Date(at).toISOString()]).toEqual(['{"name":"Ada"}', '2024-01-05T15:04:05.000Z']);
    if (text.includes('7')) expect(sourceId).toBe('7');
  });

  it('takes the recorded date where a form has a field of that name', async () => {
    const { data, at } = await plannedOne(`date,_date\nnext week,${day}\n`);
    expect([data, at]).toEqual(['{"date":"next week"}', Date.parse(day)]);
  });

  it('keeps control fields beside the data, as a submission does', async () => {
    const { data, metadata } = await plannedOne(
      `_date,_replyto,_gotcha,m\n${day},ada@example.com,x,hi\n`,
      'formspree',
    );
    expect([data, metadata.controlFields]).toEqual(['{"m":"hi"}', '{"_replyto":"ada@example.com"}']);
    const own = `{"id":"x","data":{"m":"hi"},"metadata":{"ip":"","control_fields":{"_subject":"s"}},"created_at":"${day}"}`;
    expect((await plannedOne(own)).metadata.controlFields).toBe('{"_subject":"s"}');
  });

  it('maps columns by the mapping, and leaves reserved fields out', async () => {
    const text = `Name,Arrived,date,_gotcha,Note\nAda,${day},tomorrow,x,\n`;
    const { data } = await plannedOne(text, null, { Name: 'name', Arrived: '@date', Note: 'note' });
    expect(data).toBe('{"name":"Ada","date":"tomorrow"}');
    expect(faultOfMapping(new Map([['a', '@nonsense']]))).toContain(
      '"@nonsense" is not one of @field, @date',
    );
  });

  it('gives back our own JSON lines byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          fc
            .string({ maxLength: 20 })
            .filter((name) => !/^_|captcha|recaptcha|turnstile|altcha|challenge/.test(name)),
          fc.jsonValue({ maxDepth: 3 }),
          { maxKeys: 8 },
        ),
        async (fields) => {
          const data = JSON.stringify(fields, null, 1).replaceAll('\n', '');
          const line = `{"id":"x","data":${data},"files":[],"metadata":{"ip":"","user_agent":"","submitted_from":""},"created_at":"${day}"}`;
          expect((await plannedOne(`${line}\n`)).data).toBe(data);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('takes the apostrophe off formulas of our own CSV', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('=', '+', '-', '@', ';', '\t', '\n', 'a', '1', ' ', '"') }),
        (text) => {
          expect(unsafeCell(safeCell(text))).toBe(text);
        },
      ),
    );
  });

  it('finds links to files', async () => {
    const url = 'https://files.example.com/a.pdf';
    const text = `[{"date":"${day}","cv":{"url":"${url}","filename":"cv.pdf"},"more":["${url}"],"none":"x"}]`;
    const { links } = await plannedOne(text, null, { cv: '@file', more: '@file', none: '@file' });
    expect(links).toEqual([
      { field: 'cv', url, filename: 'cv.pdf' },
      { field: 'more', url, filename: null },
    ]);
  });
});

describe('rowId', () => {
  it('follows from the row alone, and stands at its date', async () => {
    const text = (signature: string) => `date,name,cv\n${day},Ada,https://x.example/a.pdf?s=${signature}\n`;
    const [one, again] = [await plannedOne(text('1')), await plannedOne(text('2'), null, { name: 'who' })];
    const id = (row: PlannedRow, before = 0, form = 'f') => rowId(rowHash(form, row), row.at, before);
    expect(id(one)).toBe(id(again));
    expect(id(one)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(id(one) >= lowestIdAt(one.at) && id(one) < lowestIdAt(one.at + 1)).toBe(true);
    expect(new Set([id(one), id(one, 1), id(one, 2), id(one, 0, 'g')]).size).toBe(4);
  });
});
