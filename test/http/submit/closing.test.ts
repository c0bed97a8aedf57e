/** Forms that open and close by time or by number of submissions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, client, type MadeForm, makeForm, submitJson } from '../../support/client.js';
import { expectFaults, expectProblem } from '../../support/contract.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { postUrlencoded } from '../../support/visitor.js';

let server: RunningServer;
let api: Client;
beforeAll(async () => {
  server = await startServer();
  api = client(server.url);
});
afterAll(() => server.dispose());

const past = '2020-01-01T00:00:00.000Z';
const future = '2099-01-01T00:00:00.000Z';
const change = (form: MadeForm, settings: Record<string, unknown>) =>
  api.patch(`/api/v1/forms/${form.formId}`, settings);
const isOpen = async (form: MadeForm) => (await api.get(`/f/${form.publicId}/access`)).body.is_open;
const countOf = async (form: MadeForm) =>
  (await api.get(`/api/v1/forms/${form.formId}`)).body.submissions_count;

describe('a form with times', () => {
  it.each([
    ['before it opens', { opens_at: future }, 'the form is not open yet'],
    ['after it closed', { closes_at: past }, 'the form has closed'],
  ])('is closed %s', async (_, settings, seen) => {
    const form = await makeForm(server.url, { form: settings });
    expectProblem(await submitJson(form.endpoint, { a: 1 }), 403, 'Form is closed');
    expect(await isOpen(form)).toBe(false);
    const { examples } = (await api.get(`/api/v1/forms/${form.formId}/rejections`)).body;
    expect(examples[0]).toMatchObject({ reason: 'inactive', seen });
    const page = await postUrlencoded(form.endpoint, 'a=1', { accept: 'text/html' });
    expect([page.status, page.text.includes('This form is closed')]).toEqual([403, true]);
    await change(form, { opens_at: past, closes_at: future });
    expect((await submitJson(form.endpoint, { a: 1 })).status).toBe(200);
    expect(await isOpen(form)).toBe(true);
  });

  it('gives no challenge while it is closed', async () => {
    const form = await makeForm(server.url, { form: { closes_at: past, captcha_enabled: true } });
    expectProblem(await api.get(`/f/${form.publicId}/challenge`), 403, 'Form is closed');
  });

  it('refuses times in which it would never be open, also one after the other', async () => {
    const form = await makeForm(server.url);
    expectFaults(await change(form, { opens_at: future, closes_at: past }), ['opens_at']);
    expectFaults(await change(form, { opens_at: past, closes_at: past }), ['opens_at']);
    expect((await change(form, { closes_at: past })).status).toBe(200);
    expectFaults(await change(form, { opens_at: future }), ['opens_at']);
    expectFaults(await change(form, { opens_at: 'tomorrow' }), ['opens_at']);
    expectFaults(await change(form, { max_submissions: 0 }), ['max_submissions']);
  });
});

describe('a form with a maximum', () => {
  it('takes exactly so many, however many come at once, and others are not held up', async () => {
    const form = await makeForm(server.url, { form: { max_submissions: 7 } });
    const other = await makeForm(server.url);
    const sent = await Promise.all(
      Array.from({ length: 60 }, (_, i) => submitJson((i % 2 ? form : other).endpoint, { i })),
    );
    const statuses = (which: number) => sent.filter((_, i) => i % 2 === which).map(({ status }) => status);
    expect(statuses(0)).toEqual(Array.from({ length: 30 }, () => 200));
    expect(statuses(1).filter((status) => status === 200)).toHaveLength(7);
    expect(statuses(1).filter((status) => status === 403)).toHaveLength(23);
    expect(await countOf(form)).toBe(7);
    expectProblem(await submitJson(form.endpoint, { a: 1 }), 403, 'Form is closed');
  });

  it('counts what is there when it is set, and opens again when some are deleted', async () => {
    const form = await makeForm(server.url);
    for (let i = 0; i < 3; i += 1) expect((await submitJson(form.endpoint, { i })).status).toBe(200);
    await change(form, { max_submissions: 2 });
    expectProblem(await submitJson(form.endpoint, { a: 1 }), 403, 'Form is closed');
    const { data } = (await api.get(`/api/v1/forms/${form.formId}/submissions`)).body;
    for (const { id } of data.slice(0, 2)) await api.delete(`/api/v1/submissions/${id}`);
    await expect
      .poll(async () => (await submitJson(form.endpoint, { a: 1 })).status, { timeout: 30_000 })
      .toBe(200);
    await expect
      .poll(async () => (await submitJson(form.endpoint, { a: 1 })).status, { timeout: 30_000 })
      .toBe(403);
    expect(await countOf(form)).toBe(2);
    await change(form, { max_submissions: null });
    await expect
      .poll(async () => (await submitJson(form.endpoint, { a: 1 })).status, { timeout: 30_000 })
      .toBe(200);
  });

  it('repeats the response to a request that it took before it was full', async () => {
    const form = await makeForm(server.url, { form: { max_submissions: 1 } });
    const send = (key: string) => submitJson(form.endpoint, { a: 1 }, { 'idempotency-key': key });
    const first = await send('one');
    expect(first.status).toBe(200);
    expect((await send('two')).status).toBe(403);
    expect((await send('one')).body).toEqual(first.body);
    expect((await send('two')).status).toBe(403);
  });
});
