/** Importing over HTTP: a body that is processed as it arrives, and a report. */
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../support/cli.js';
import { type Answer, client, type MadeForm, makeForm, request } from '../../support/client.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server?.dispose());

const addressOf = ({ formId }: MadeForm, query: Record<string, string> = {}): string =>
  `${server.url}/api/v1/forms/${formId}/import?${new URLSearchParams(query)}`;

const headersOf = (type: string) => ({ authorization: `Bearer ${apiKey}`, 'content-type': type });

const send = (
  form: MadeForm,
  body: string | Buffer,
  query: Record<string, string> = {},
  type = 'text/csv',
): Promise<Answer> =>
  request(addressOf(form, query), {
    method: 'POST',
    headers: headersOf(type),
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });

const countOf = async ({ formId }: MadeForm): Promise<number> =>
  (await client(server.url).get(`/api/v1/forms/${formId}`)).body.submissions_count;

const row = (index: number): string => `${new Date(Date.UTC(2024, 0, 1) + index).toISOString()},${index}\n`;

/** Sends more rows than are checked before the first is stored, and the last one only after `goOn`. */
function slowImport(form: MadeForm, rows: number, query: Record<string, string> = {}) {
  const leave = new AbortController();
  let goOn = (): void => {};
  const waiting = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  async function* body(): AsyncGenerator<Buffer> {
    yield Buffer.from(`created_at,n\n${Array.from({ length: rows }, (_, index) => row(index)).join('')}`);
    await waiting;
    yield Buffer.from(row(rows));
  }
  const answer = fetch(addressOf(form, query), {
    method: 'POST',
    headers: headersOf('text/csv'),
    body: Readable.toWeb(Readable.from(body())) as ReadableStream,
    duplex: 'half',
    signal: leave.signal,
  } as RequestInit);
  return { answer, goOn, leave: () => leave.abort() };
}

describe('POST /api/v1/forms/{id}/import', () => {
  it('imports a CSV and reports; a repeat adds nothing', async () => {
    const form = await makeForm(server.url);
    const text = 'Date,Your name,Note\n2024-01-05,Ada,=1+1\nnever,Eve,\n';
    const query = { date: 'Date', map: JSON.stringify({ 'Your name': 'name', Note: '@skip' }) };
    const report = {
      dry_run: false,
      rows: 2,
      imported: 1,
      already_there: 0,
      rejected: 1,
      spam: 0,
      expiring: 0,
      files_stored: 0,
      files_failed: 0,
      columns: [
        { name: 'Date', meaning: 'date', field: 'Date' },
        { name: 'Your name', meaning: 'field', field: 'name' },
        { name: 'Note', meaning: 'skip', field: 'Note' },
      ],
      examples: [{ created_at: '2024-01-05T00:00:00.000Z', data: { name: 'Ada' } }],
      errors: [{ line: 3, reason: '"never" is not a date that can be read' }],
      rejected_csv:
        '"line","reason","Date","Your name","Note"\r\n"3","""never"" is not a date that can be read","never","Eve",""\r\n',
      file_errors: [],
      warnings: [],
    };
    expect((await send(form, text, { ...query, dry_run: '1' })).body).toEqual({ ...report, dry_run: true });
    expect(await countOf(form)).toBe(0);
    const first = await send(form, text, query);
    expect([first.status, first.body]).toEqual([200, report]);
    expect((await send(form, text, query)).body).toEqual({ ...report, imported: 0, already_there: 1 });
    expect(await countOf(form)).toBe(1);
  });

  it.each([
    ['application/json', '[{"created_at":"2024-01-05","a":1.0}]'],
    ['application/x-ndjson', '{"created_at":"2024-01-05","a":1.0}\n'],
    ['application/octet-stream', '{"created_at":"2024-01-05","a":1.0}\n'],
  ])('takes %s', async (type, text) => {
    const form = await makeForm(server.url);
    expect((await send(form, text, {}, type)).body).toMatchObject({ rows: 1, imported: 1 });
    const { text: listed } = await client(server.url).get(`/api/v1/forms/${form.formId}/submissions`);
    expect(listed).toContain('"data":{"a":1.0}');
  });

  it('takes far more than other requests may have, and names the first thousand rejected rows', async () => {
    const form = await makeForm(server.url);
    const rows = Array.from(
      { length: 3_000 },
      (_, index) => `${index < 1_500 ? 'x' : '2024-01-05'},${'y'.repeat(400)}${index}\n`,
    );
    const { body } = await send(form, `date,name\n${rows.join('')}`);
    expect(body).toMatchObject({ rows: 3_000, imported: 1_500, rejected: 1_500 });
    expect(body.errors).toHaveLength(1_000);
    expect(body.errors.at(-1).line).toBe(1_001);
  });

  it('keeps what was committed when the client leaves; a repeat completes it', async () => {
    const form = await makeForm(server.url);
    const { answer, leave } = slowImport(form, 6_000);
    await until(
      () => countOf(form),
      (count) => count > 0,
    );
    leave();
    await expect(answer).rejects.toThrow();
    const text = `created_at,n\n${Array.from({ length: 6_001 }, (_, index) => row(index)).join('')}`;
    // Until the server has noticed that the other client disconnected.
    const { body } = await until(
      () => send(form, text),
      ({ status }) => status !== 409,
    );
    expect(body.imported + body.already_there).toBe(6_001);
    expect(body.already_there).toBeGreaterThan(0);
    expect(await countOf(form)).toBe(6_001);
  });

  it('runs one import of an account at a time', async () => {
    const [form, other] = [await makeForm(server.url), await makeForm(server.url)];
    const { answer, goOn } = slowImport(form, 6_000);
    await until(
      () => countOf(form),
      (count) => count > 0,
    );
    const refused = await send(other, `created_at,n\n${row(1)}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'import_running']);
    expect((await send(other, `created_at,n\n${row(1)}`, { dry_run: '1' })).body.imported).toBe(1);
    goOn();
    const response = await answer;
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ imported: 6_001 });
    expect((await send(other, `created_at,n\n${row(1)}`)).body.imported).toBe(1);
  });

  it('makes four dry runs of an account at a time', async () => {
    const form = await makeForm(server.url);
    const started = Array.from({ length: 5 }, () => slowImport(form, 1, { dry_run: '1' }));
    const refused = await Promise.race(started.map(({ answer }) => answer));
    expect([refused.status, await refused.json()]).toMatchObject([409, { code: 'import_running' }]);
    expect((await send(form, `created_at,n\n${row(1)}`)).body.imported).toBe(1);
    for (const { goOn } of started) goOn();
    const statuses = await Promise.all(started.map(async ({ answer }) => (await answer).status));
    expect(statuses.sort()).toEqual([200, 200, 200, 200, 409]);
    expect((await send(form, `created_at,n\n${row(1)}`, { dry_run: '1' })).status).toBe(200);
  });

  it.each([
    ['a,b\nJ\xfcrgen,2\n', 'latin1', 'The file is not UTF-8 text'],
    ['', 'utf8', 'The file is empty.'],
    ['name\nAda\n', 'utf8', 'No column holds the date.'],
    [
      `${Array.from({ length: 10_000 }, (_, index) => `c${index}`).join(',')}\n`,
      'utf8',
      'The file has 10,000 columns.',
    ],
  ] as const)('rejects a file as a whole: %#', async (text, encoding, detail) => {
    const form = await makeForm(server.url);
    const { status, body } = await send(form, Buffer.from(text, encoding));
    expect([status, body.code]).toEqual([400, 'import_rejected']);
    expect(body.detail).toContain(detail);
    expect(await countOf(form)).toBe(0);
  });

  it('says what is wrong with the query', async () => {
    const form = await makeForm(server.url);
    for (const map of ['{', '[]', '{"a":1}']) {
      const { status, body } = await send(form, 'date\n', { map });
      expect([status, body.details]).toEqual([
        400,
        [{ path: 'map', message: 'must be a JSON object whose values are texts' }],
      ]);
    }
    const { body } = await send(form, 'date\n2024-01-05\n', { map: '{"date":"@when"}' });
    expect(body.detail).toContain('"@when" is not one of @field, @date');
    expect((await send(form, 'date\n', { source: 'nobody' })).status).toBe(400);
  });

  it('warns of rows that the form would delete again', async () => {
    const form = await makeForm(server.url, { form: { retention_days: 30 } });
    const { body } = await send(form, 'date\n2024-01-05\n', { dry_run: '1' });
    expect([body.expiring, body.warnings.length]).toEqual([1, 1]);
  });
});
