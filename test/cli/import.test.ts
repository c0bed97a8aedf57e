/** `inlet import` next to a running server, on the same data. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { complaints, inlet, inletJson, until } from '../support/cli.js';
import { client, type MadeForm, makeForm } from '../support/client.js';
import { parseCsv } from '../support/csv.js';
import { engineSettings } from '../support/engine.js';
import { type Receiver, startAnswering, startReceiver, startRedirecting } from '../support/receivers.js';
import { entry, node, plainEnvironment, type RunningServer, startServer } from '../support/server.js';

let server: RunningServer;
let hook: Receiver;
beforeAll(async () => {
  hook = await startAnswering();
  server = await startServer();
});
afterAll(async () => {
  await server?.dispose();
  await hook?.close();
});

const options = (env: Record<string, string> = {}) => ({ dataDir: server.dataDir, env });

async function written(name: string, content: string | Buffer): Promise<string> {
  const path = join(server.dataDir, name);
  await writeFile(path, content);
  return path;
}

const newForm = (form: Record<string, unknown> = {}): Promise<MadeForm> =>
  makeForm(server.url, { form: { webhook_url: hook.url, ...form } });

const listed = async ({ formId }: MadeForm, query = '') =>
  (await client(server.url).get(`/api/v1/forms/${formId}/submissions?limit=100${query}`)).body.data;

const countOf = async ({ formId }: MadeForm): Promise<number> =>
  (await client(server.url).get(`/api/v1/forms/${formId}`)).body.submissions_count;

const table = [
  '\ufeffSubmitted At;Name;E-mail;Formula;IP;_gotcha',
  '25/01/2024 15:04;Ada;ada@example.com;=1+1;203.0.113.7;',
  '02/03/2024 08:00;"Grace ""Amazing"" Hopper";grace@example.com;;nonsense;',
  '03/03/2024 08:00;Broken;"x"y;;;',
  'yesterday;Late;late@example.com;;;',
  '25/01/2024 15:04;Ada;ada@example.com;=1+1;203.0.113.7;',
  '',
].join('\r\n');

describe('inlet import', () => {
  it('imports rows with their dates, sends nothing, and adds nothing when it is repeated', async () => {
    const form = await newForm();
    const file = await written('table.csv', table);
    const rejects = join(server.dataDir, 'rejects.csv');
    const words = ['import', file, '--form', form.publicId, '--map', 'Name=name', '--map', 'E-mail=email'];

    const dry = await inlet([...words, '--dry-run'], options());
    expect([dry.code, complaints(dry)]).toEqual([1, '']);
    expect(dry.stdout).toContain('Rows      5 (dry run: nothing was stored)\nImported  3 would be\n');
    expect(dry.stdout).toContain('Submitted At → @date\n          Name → field name\n');
    expect(await countOf(form)).toBe(0);

    const ran = await inlet([...words, '--rejects', rejects], options());
    expect([ran.code, ran.stderr]).toEqual([1, `All rejected rows: ${rejects}\n`]);
    expect(ran.stdout).toBe(
      [
        'Rows      5',
        'Imported  3',
        'There     0 already',
        'Rejected  2',
        '          line 4: a closing quote is not followed by a delimiter',
        '          line 5: "yesterday" is not a date that can be read',
        '',
      ].join('\n'),
    );
    expect(parseCsv(await readFile(rejects, 'utf8'))).toEqual([
      ['line', 'reason', 'Submitted At', 'Name', 'E-mail', 'Formula', 'IP', '_gotcha'],
      ['4', 'a closing quote is not followed by a delimiter', '03/03/2024 08:00;Broken;"x"y;;;'],
      [
        '5',
        '"yesterday" is not a date that can be read',
        'yesterday',
        'Late',
        'late@example.com',
        '',
        '',
        '',
      ],
    ]);

    const [grace, ada, twin] = await listed(form);
    expect(grace).toMatchObject({
      data: { name: 'Grace "Amazing" Hopper', email: 'grace@example.com' },
      metadata: { ip: '', user_agent: '', submitted_from: '' },
      created_at: '2024-03-02T08:00:00.000Z',
    });
    expect(ada).toMatchObject({
      data: { name: 'Ada', email: 'ada@example.com', Formula: '=1+1' },
      metadata: { ip: '203.0.113.7' },
      created_at: '2024-01-25T15:04:00.000Z',
    });
    expect(twin.data).toEqual(ada.data);
    expect((await listed(form, '&q=amazing')).map(({ id }: { id: string }) => id)).toEqual([grace.id]);

    const repeated = await inlet([...words, '--json'], options());
    expect(JSON.parse(repeated.stdout)).toMatchObject({ imported: 0, already_there: 3, rejected: 2 });
    expect(await countOf(form)).toBe(3);
    const stats = await client(server.url).get(`/api/v1/stats?days=366&form_id=${form.formId}`);
    const received = stats.body.days.map((day: { received: number }) => day.received);
    expect(Math.max(...received)).toBe(0);
    expect(hook.requests).toEqual([]);
  });

  it('imports its own exports back, byte for byte', async () => {
    const [from, to] = [await newForm({ webhook_url: null }), await newForm()];
    const fields = ['{"b":1.0,"a":"x","10":[1,{"x":null}]}', '{"ip":"mine","created_at":"never","n":-0}'];
    for (const body of fields) {
      const headers = { 'content-type': 'application/json' };
      expect((await fetch(from.endpoint, { method: 'POST', headers, body })).status).toBe(200);
    }
    const answer = await client(server.url).get(
      `/api/v1/forms/${from.formId}/submissions/export?format=jsonl`,
    );
    const file = await written('own.jsonl', answer.text);
    const report = await inletJson(['import', file, '--form', to.formId], options());
    expect(report).toMatchObject({ rows: 2, imported: 2, rejected: 0 });
    const ours = await client(server.url).get(`/api/v1/forms/${to.formId}/submissions/export?format=jsonl`);
    const texts = (text: string) => [...text.matchAll(/"data":(.*?),"files":/g)].map(([, data]) => data);
    expect(texts(ours.text)).toEqual(texts(answer.text));
    // Into the form that already has them.
    expect(await inletJson(['import', file, '--form', from.formId], options())).toMatchObject({
      imported: 0,
      already_there: 2,
    });
  });

  it('goes on where it was killed', async () => {
    const form = await newForm();
    const rows = Array.from(
      { length: 20_000 },
      (_, index) =>
        `${new Date(Date.UTC(2024, 0, 1) + 1000 * (index % 15_000)).toISOString()},same,${index % 3}`,
    );
    const file = await written('many.csv', `created_at,name,n\n${rows.join('\n')}\n`);
    const child = spawn(node, [entry, 'import', file, '--form', form.formId], {
      env: { ...plainEnvironment(), DATA_DIR: server.dataDir, ...(await engineSettings(server.dataDir)) },
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    await until(
      () => countOf(form),
      (count) => count > 0,
    );
    child.kill('SIGKILL');
    await ended;
    const first = await countOf(form);
    const second = await inletJson(['import', file, '--form', form.formId], options());
    expect(second).toMatchObject({ rows: 20_000, imported: 20_000 - first, already_there: first });
    expect(await countOf(form)).toBe(20_000);
    expect(await inletJson(['import', file, '--form', form.formId], options())).toMatchObject({
      imported: 0,
    });
    expect(await countOf(form)).toBe(20_000);
  });

  it('stores the files that it can have, and keeps the links of the others', async () => {
    const elsewhere = await startReceiver((socket, { path }) => {
      const isThere = path?.startsWith('/cv.pdf');
      const body = isThere ? '%PDF-1.4 the résumé' : 'no';
      socket.end(
        `HTTP/1.1 ${isThere ? 200 : 404} OK\r\ncontent-type: application/pdf\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    });
    const redirecting = await startRedirecting(`${new URL(elsewhere.url).origin}/cv.pdf`, 302);
    try {
      const form = await newForm();
      const { origin } = new URL(elsewhere.url);
      const file = await written(
        'files.csv',
        `date,name,cv\n2024-01-05,Ada,${origin}/cv.pdf?s=1\n2024-01-06,Eve,${origin}/none.pdf\n2024-01-07,Red,${redirecting.url}\n`,
      );
      const words = ['import', file, '--form', form.formId, '--map', 'cv=@file', '--files', '--json'];
      const ran = await inlet(words, options());
      expect(ran.json()).toMatchObject({
        imported: 3,
        files_stored: 2,
        files_failed: 1,
        file_errors: [{ line: 3, reason: `${origin}/none.pdf: the server responded with status 404` }],
      });
      const [, eve, ada] = await listed(form);
      expect(eve).toMatchObject({ data: { name: 'Eve', cv: `${origin}/none.pdf` }, files: [] });
      expect(ada).toMatchObject({
        data: { name: 'Ada' },
        files: [{ field: 'cv', filename: 'cv.pdf', type: 'application/pdf', size: 21 }],
      });
      const { body } = await client(server.url).get(`/api/v1/files/${ada.files[0].id}`);
      expect(body.uploaded_at).toBe('2024-01-05T00:00:00.000Z');
      expect(await (await fetch(body.download_url)).text()).toBe('%PDF-1.4 the résumé');

      // An instance with a public address must not send requests to internal addresses.
      const asked = elsewhere.requests.length;
      const other = await newForm();
      const guarded = await inlet(
        ['import', file, '--form', other.formId, '--map', 'cv=@file', '--files', '--json'],
        options({ BASE_URL: 'https://forms.example.com' }),
      );
      expect(guarded.json()).toMatchObject({ imported: 3, files_stored: 0, files_failed: 3 });
      expect(elsewhere.requests.length).toBe(asked);
    } finally {
      await elsewhere.close();
      await redirecting.close();
    }
  });

  it('leaves nothing behind of a file that is malformed as a whole', async () => {
    const form = await newForm();
    const rows = `date,name\n${'2024-01-05,Ada\n'.repeat(2_000)}`;
    const cases: readonly [string, string | Buffer, string][] = [
      [
        'latin.csv',
        Buffer.concat([Buffer.from(rows), Buffer.from('2024-01-05,J\xfcrgen\n', 'latin1')]),
        'The file is not UTF-8 text (from about line 1 on). Save it as UTF-8 (in Excel: "CSV UTF-8") and try again.',
      ],
      [
        'wide.csv',
        `${Array.from({ length: 10_000 }, (_, i) => `c${i}`).join(',')}\n`,
        'The file has 10,000 columns. At most 1,000 can be imported.',
      ],
      [
        'undated.csv',
        'name,mail\nAda,x\n',
        'No column holds the date. Name the one that does, or give a default date. The columns are: name, mail.',
      ],
      ['empty.csv', '', 'The file is empty.'],
    ];
    for (const [name, content, reason] of cases) {
      const ran = await inlet(['import', await written(name, content), '--form', form.formId], options());
      expect([ran.code, ran.stdout, ran.stderr]).toEqual([1, '', `${reason}\n`]);
    }
    expect(await countOf(form)).toBe(0);
  });

  it('warns of rows that the form would delete again', async () => {
    const form = await newForm({ retention_days: 30 });
    const file = await written('old.csv', 'name\nAda\n');
    const ran = await inlet(
      ['import', file, '--form', form.formId, '--default-date', 'Jan 5, 2024 3:04 PM', '--dry-run'],
      options(),
    );
    expect(ran.stderr).toBe(
      '1 of them are older than the 30 days that this form keeps submissions: the service deletes them soon. Change retention_days first.\n',
    );
  });

  it.each([
    [['import', 'x.csv'], 2, '--form is missing.'],
    [['import', 'x.csv', '--form', 'y', '--map', 'Name'], 2, '--map "Name" is not COLUMN=NAME.'],
    [['import', 'x.csv', '--form', 'y', '--from', 'nobody'], 2, '--from "nobody" is not one of the choices'],
    [['import', 'x.csv', '--form', 'nothere1'], 1, 'There is no form nothere1.'],
  ])('says what is wrong with %j', async (words, code, text) => {
    const ran = await inlet(words, options());
    expect([ran.code, ran.stdout]).toEqual([code, '']);
    expect(ran.stderr).toContain(text);
  });
});
