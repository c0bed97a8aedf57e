/** What is stored about a person as a ZIP, and a search that says where it is. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { type Client, client, makeForm, submitJson } from '../../support/client.js';
import { apiKey, type RunningServer, startServer } from '../../support/server.js';
import { submitFiles } from '../../support/upload.js';
import { submit } from '../../support/webhooks.js';

let server: RunningServer;
let api: Client;
beforeAll(async () => {
  server = await startServer();
  api = client(server.url);
});
afterAll(() => server.dispose());

/** The entries of an uncompressed ZIP. */
function entriesOf(zip: Buffer): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  let at = zip.readUInt32LE(zip.length - 22 + 16);
  for (let left = zip.readUInt16LE(zip.length - 22 + 10); left > 0; left -= 1) {
    const size = zip.readUInt32LE(at + 24);
    const nameLength = zip.readUInt16LE(at + 28);
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    const offset = zip.readUInt32LE(at + 42);
    const from = offset + 30 + zip.readUInt16LE(offset + 26);
    entries.set(name, zip.toString('utf8', from, from + size));
    at += 46 + nameLength;
  }
  return entries;
}

async function exported(q: string): Promise<ReadonlyMap<string, string>> {
  const response = await fetch(`${server.url}/api/v1/persons/export`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ q }),
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip']);
  return entriesOf(Buffer.from(await response.arrayBuffer()));
}

it('holds the data as JSON and as CSV, the files, and nobody else', async () => {
  const form = await makeForm(server.url);
  const cv = { field: 'cv', filename: '../Zoë.txt', type: 'text/plain', content: 'my life' };
  const sent = await submitFiles(form.endpoint, [cv], { name: '=Ann', email: 'Ann@Example.com' });
  const other = await submit(form.endpoint, { email: 'bob@example.com' });
  await api.post(`/api/v1/submissions/${other}/notes`, { text: 'knows ann@example.com' });
  await submitJson(form.endpoint, { _gotcha: 'x', email: 'ann@example.com' });
  const entries = await exported('ann@example.com');
  const data = JSON.parse(entries.get('data.json') ?? '');
  expect(data.submissions).toMatchObject([
    { id: sent.body.submission_id, form_id: form.formId, data: { name: '=Ann', email: 'Ann@Example.com' } },
  ]);
  expect(data.notes).toMatchObject([{ submission_id: other, stored: ['knows ann@example.com'] }]);
  expect(data.quarantine).toHaveLength(1);
  const [file] = data.submissions[0].files;
  expect(file).toBe(`files/${sent.body.files[0].id}/Zoë.txt`);
  expect(entries.get(file)).toBe('my life');
  const lines = (entries.get('submissions.csv') ?? '').trim().split('\n');
  expect(lines[0]).toBe('submission_id,form_id,created_at,field,value');
  // A spreadsheet must not run it as a formula.
  expect(lines[1]).toMatch(/,name,'=Ann$/);
  expect(lines).toHaveLength(4);
  expect([...entries.values()].join('')).not.toContain('bob@example.com');
});

it('a search tells how many there are and shows the first hundred, of this account only', async () => {
  const form = await makeForm(server.url);
  for (let n = 0; n < 101; n += 1) await submit(form.endpoint, { email: 'crowd@example.com' });
  const { body } = await api.post('/api/v1/persons/search', { q: 'crowd@example.com' });
  expect(body).toMatchObject({ total: 101, truncated: true });
  expect(body.counts).toMatchObject({ submissions: 101, notes: 0 });
  expect(body.examples).toHaveLength(100);
  expect(body.examples[0]).toMatchObject({ place: 'submissions', form_id: form.formId });
  const otherAccount = client(server.url, (await makeAccount(server, 'pro')).api_key);
  const theirs = await otherAccount.post('/api/v1/persons/search', { q: 'crowd@example.com' });
  expect(theirs.body.total).toBe(0);
  const erased = await otherAccount.post('/api/v1/persons/erase', { q: 'crowd@example.com' });
  expect(erased.status).toBe(202);
  const again = await api.post('/api/v1/persons/search', { q: 'crowd@example.com' });
  expect(again.body.total).toBe(101);
});

it('searches for one person at a time', async () => {
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => api.post('/api/v1/persons/search', { q: 'crowd@example.com' })),
  );
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses[0]).toBe(200);
  expect(answers.filter(({ status }) => status === 409).map(({ body }) => body.code)).toEqual(
    statuses.filter((status) => status === 409).map(() => 'person_search_running'),
  );
});
