/** Aliases: names from other form services that lead to an Inlet form. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import {
  type Answer,
  type Client,
  client,
  type MadeForm,
  makeForm,
  submitJson,
} from '../../support/client.js';
import { expectDeleted, expectFaults, expectFields, expectProblem, instant } from '../../support/contract.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { browserAccept, postJson, postUrlencoded, visit } from '../../support/visitor.js';

const taken = 'This alias is already in use. Choose another one, or remove it from the form that has it.';

let server: RunningServer;
let api: Client;
let outsider: Client;
let form: MadeForm;
let theirs: MadeForm;
beforeAll(async () => {
  server = await startServer({
    env: { API_RATE_LIMIT_PER_MINUTE: '1000000', RATE_LIMIT_PER_MINUTE: '1000000' },
  });
  api = client(server.url);
  const { api_key: key } = await makeAccount(server, 'pro', 'Outsider');
  outsider = client(server.url, key);
  form = await makeForm(server.url);
  theirs = await makeForm(server.url, { key });
});
afterAll(() => server.dispose());

const pathOf = ({ formId }: Pick<MadeForm, 'formId'>): string => `/api/v1/forms/${formId}/aliases`;
const add = (to: MadeForm, alias: unknown, by = api): Promise<Answer> => by.post(pathOf(to), { alias });
const remove = (from: MadeForm, alias: unknown, by = api): Promise<Answer> =>
  by.delete(pathOf(from), { alias });
const listed = async (of: MadeForm, by = api): Promise<readonly string[]> =>
  (await by.get(pathOf(of))).body.data.map(({ alias }: { alias: string }) => alias);
async function added(to: MadeForm, alias: string): Promise<string> {
  const answer = await add(to, alias);
  expect(answer.status, answer.text).toBe(201);
  return answer.body.alias;
}
const endpoint = (alias: string): string => `${server.url}/f/${encodeURIComponent(alias)}`;
const submissionsOf = async ({ formId }: MadeForm): Promise<readonly unknown[]> =>
  (await api.get(`/api/v1/forms/${formId}/submissions`)).body.data.map(({ data }: { data: unknown }) => data);

describe('adding', () => {
  it('returns 201 with the alias as it is stored', async () => {
    const answer = await add(form, '  Old-Key_1 ');
    expect(answer.status).toBe(201);
    expectFields(answer.body, ['alias', 'created_at']);
    expect(answer.body.alias).toBe('Old-Key_1');
    expect(answer.body.created_at).toMatch(instant);
    expect((await add(form, 'Info@Example.COM')).body.alias).toBe('info@example.com');
    expect((await add(form, 'Gro\u0308ße')).body.alias).toBe('Größe');
    expect((await api.post(`/api/v1/forms/${form.publicId}/aliases`, { alias: 'by-public-id' })).status).toBe(
      201,
    );
    expect((await add(form, '🎉'.repeat(200))).status).toBe(201);
    expect(await listed(form)).toEqual([
      'Old-Key_1',
      'info@example.com',
      'Größe',
      'by-public-id',
      '🎉'.repeat(200),
    ]);
  });

  it.each([
    ['nothing', {}],
    ['null', { alias: null }],
    ['a number', { alias: 7 }],
    ['an empty text', { alias: '' }],
    ['blanks', { alias: ' \t ' }],
    ['too long', { alias: 'x'.repeat(201) }],
    ['a zero byte', { alias: 'a\0b' }],
    ['a line break', { alias: 'a\nb' }],
    ['an override', { alias: 'a\u202eb' }],
    ['half a pair', { alias: 'a\ud83cb' }],
  ])('refuses %s', async (_, body) => {
    const made = await makeForm(server.url);
    expectFaults(await api.post(pathOf(made), body), ['alias']);
    expect(await listed(made)).toEqual([]);
  });

  it('says what an alias may be, and takes nothing else', async () => {
    expect((await add(form, 'a\u202eb')).body.details).toEqual([
      { path: 'alias', message: 'must have 1 to 200 characters, and no control characters' },
    ]);
    expectFaults(await api.post(pathOf(form), { alias: 'fine', form_id: 'x' }), ['form_id']);
    expect((await api.post(pathOf(form))).status).toBe(400);
  });

  it('takes no path of the service', async () => {
    const document = (await api.get('/openapi.json')).body;
    const ours = Object.keys(document.paths).map((path) => path.split('/')[1]);
    const others = ['submit', 'p', 's', 'ajax', 'dashboard', 'docs', 'openapi.json', 'inlet.js', 'assets'];
    for (const alias of new Set([
      ...ours,
      ...others,
      'inlet-solver.js',
      'inlet-embed.js',
      'healthz',
      'readyz',
      'metrics',
      '..',
    ]))
      expectProblem(await add(form, alias), 400, 'Invalid request body', {
        details: [{ path: 'alias', message: 'is a path of this service; choose another alias' }],
      });
    expect((await add(form, 'submit-here')).status).toBe(201);
  });

  it('refuses an alias that any form has, and tells nothing about that form', async () => {
    await added(form, 'taken-1');
    const sibling = await makeForm(server.url);
    for (const answer of [
      await add(form, 'taken-1'),
      await add(sibling, ' taken-1'),
      await add(theirs, 'taken-1', outsider),
    ]) {
      expectProblem(answer, 409, taken);
      expect(answer.body.code).toBe('alias_taken');
    }
    await added(form, 'Taken@example.com');
    expectProblem(await add(sibling, 'tAKEN@EXAMPLE.com'), 409, taken);
    // Ids and keys are case-sensitive.
    expect((await add(sibling, 'Taken-1')).status).toBe(201);
    expect(await listed(theirs, outsider)).toEqual([]);
  });

  it('refuses the id and the public id of any form, even a deleted one', async () => {
    const gone = await makeForm(server.url);
    expectDeleted(await api.delete(`/api/v1/forms/${gone.formId}`));
    for (const { formId, publicId } of [form, theirs, gone])
      for (const alias of [formId, publicId]) expectProblem(await add(form, alias), 409, taken);
  });

  it('gives an alias to one of many who ask at once', async () => {
    const forms = await Promise.all(Array.from({ length: 8 }, () => makeForm(server.url)));
    const answers = await Promise.all(forms.map((each) => add(each, 'wanted')));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    const winner = forms[answers.findIndex(({ status }) => status === 201)];
    expect((await submitJson(endpoint('wanted'), { a: 1 })).status).toBe(200);
    expect(winner && (await submissionsOf(winner))).toEqual([{ a: 1 }]);
  });

  it('gives a form 1,000 aliases and no more, also when all are asked for at once', async () => {
    const full = await makeForm(server.url);
    const answers: Answer[] = [];
    for (let from = 0; from < 1_020; from += 60)
      answers.push(
        ...(await Promise.all(Array.from({ length: 60 }, (_, i) => add(full, `many-${from + i}`)))),
      );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(20);
    for (const answer of refused)
      expectProblem(answer, 409, 'A form can have at most 1000 aliases', { limit: 1_000 });
    expect(await listed(full)).toHaveLength(1_000);
    expectDeleted(await remove(full, 'many-0'));
    await added(full, 'many-again');
  });
});

describe('listing', () => {
  it('gives everything, or pages in the same order', async () => {
    const made = await makeForm(server.url);
    const names = ['z-first', 'a-second', 'M third', 'fourth@example.com', 'é fifth'];
    for (const alias of names) await added(made, alias);
    const whole = await api.get(pathOf(made));
    expect(whole.status).toBe(200);
    expectFields(whole.body, ['data']);
    expect(await listed(made)).toEqual(names);
    const seen = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Answer = await api.get(`${pathOf(made)}?limit=2${cursor && `&cursor=${cursor}`}`);
      expectFields(page.body, ['data', 'next_cursor']);
      seen.push(page.body.data);
      cursor = page.body.next_cursor;
    }
    expect(seen.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(seen.flat()).toEqual(whole.body.data);
    expectFaults(await api.get(`${pathOf(made)}?cursor=nonsense`), ['cursor']);
  });

  it('is all that a read key may do', async () => {
    const made = await makeForm(server.url);
    await added(made, 'seen');
    const key = (await api.post('/api/v1/api-keys', { name: 'Reads', scope: 'read' })).body.api_key;
    const reader = client(server.url, key);
    expect(await listed(made, reader)).toEqual(['seen']);
    expectProblem(await add(made, 'unseen', reader), 403, 'This API key is read-only');
    expectProblem(await remove(made, 'seen', reader), 403, 'This API key is read-only');
    expect(await listed(made)).toEqual(['seen']);
  });

  it('is for the account of the form', async () => {
    await added(form, 'ours alone');
    expectProblem(await outsider.get(pathOf(form)), 404, 'Form not found');
    expectProblem(await add(form, 'of an outsider', outsider), 404, 'Form not found');
    expectProblem(await remove(form, 'ours alone', outsider), 404, 'Form not found');
    expectProblem(await remove(theirs, 'ours alone', outsider), 404, 'The form has no such alias');
    expect(await listed(form)).toContain('ours alone');
  });
});

describe('removing', () => {
  it('returns 204, stops the alias at once, and frees it', async () => {
    const made = await makeForm(server.url);
    const next = await makeForm(server.url);
    for (let round = 0; round < 5; round += 1) {
      await added(made, 'passing@example.com');
      expect((await submitJson(endpoint('passing@example.com'), { round })).status).toBe(200);
      expectDeleted(await remove(made, ' Passing@Example.com'));
      expectProblem(await submitJson(endpoint('passing@example.com'), { round }), 404, 'Form not found');
    }
    expect(await listed(made)).toEqual([]);
    expect((await submitJson(made.endpoint, { own: true })).status).toBe(200);
    await added(next, 'passing@example.com');
    expect((await submitJson(endpoint('passing@example.com'), { now: 'here' })).status).toBe(200);
    expect(await submissionsOf(next)).toEqual([{ now: 'here' }]);
  });

  it('knows no alias but those of the form', async () => {
    const made = await makeForm(server.url);
    const sibling = await makeForm(server.url);
    await added(sibling, 'of a sibling');
    for (const alias of ['never added', 'of a sibling', made.publicId, 'a\0b', 'submit']) {
      const answer = await remove(made, alias);
      expectProblem(answer, 404, 'The form has no such alias');
      expect(answer.body.code).toBe('alias_not_found');
    }
    expectFaults(await api.delete(pathOf(made), {}), ['alias']);
    expect((await api.delete(pathOf(made))).status).toBe(400);
    expect(await listed(sibling)).toEqual(['of a sibling']);
  });

  it.each([
    ['form', ({ formId }: MadeForm) => `/api/v1/forms/${formId}`],
    ['project', ({ projectId }: MadeForm) => `/api/v1/projects/${projectId}`],
  ])('happens with the deletion of its %s', async (_, pathTo) => {
    const made = await makeForm(server.url);
    const next = await makeForm(server.url);
    await added(made, 'inherited');
    expect((await submitJson(endpoint('inherited'), { a: 1 })).status).toBe(200);
    expectDeleted(await api.delete(pathTo(made)));
    expectProblem(await submitJson(endpoint('inherited'), { a: 2 }), 404, 'Form not found');
    await added(next, 'inherited');
    expect((await submitJson(endpoint('inherited'), { a: 3 })).status).toBe(200);
    expect(await submissionsOf(next)).toEqual([{ a: 3 }]);
    expectDeleted(await remove(next, 'inherited'));
  });
});

describe('a submission under an alias', () => {
  it('is stored in the form, however the alias is spelt in the path', async () => {
    const made = await makeForm(server.url);
    for (const alias of ['xwKey123', 'Contact us / Größe?', 'Me@Example.org', '100%', 'a+b']) {
      await added(made, alias);
      expect((await postJson(endpoint(alias), { alias })).status, alias).toBe(200);
      expect((await postJson(`${endpoint(alias)}/`, { alias })).status, alias).toBe(200);
    }
    // A path may contain the @ as it is, and addresses are case-insensitive.
    expect((await postJson(`${server.url}/f/mE@example.org`, { a: 1 })).status).toBe(200);
    expect((await postJson(`${server.url}/f/%6De%40EXAMPLE.org?x=%20`, { a: 1 })).status).toBe(200);
    expect((await postJson(endpoint('xwkey123'), { a: 1 })).status).toBe(404);
    expect(await submissionsOf(made)).toHaveLength(12);
  });

  it('is answered with the public id of the form', async () => {
    const made = await makeForm(server.url, { form: { allowed_origins: ['shop.example.com'] } });
    await added(made, 'Order form');
    const headers = { accept: browserAccept, origin: 'https://shop.example.com' };
    const sent = await postUrlencoded(endpoint('Order form'), 'a=1', headers);
    expect(sent.status).toBe(303);
    expect(sent.headers.location).toMatch(new RegExp(`^${made.endpoint}/success\\?`));
    const page = await visit(`${endpoint('Order form')}/success`, { method: 'GET' });
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const preflight = await visit(endpoint('Order form'), {
      method: 'OPTIONS',
      headers: { origin: 'https://shop.example.com', 'access-control-request-method': 'POST' },
    });
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([
      204,
      'https://shop.example.com',
    ]);
    expect((await postJson(endpoint('Order form'), { a: 1 }, { origin: 'https://evil.test' })).status).toBe(
      403,
    );
  });

  it('keeps working when the form gets another name', async () => {
    const made = await makeForm(server.url);
    await added(made, 'kept');
    expect((await api.patch(`/api/v1/forms/${made.formId}`, { name: 'Renamed' })).status).toBe(200);
    expect(await listed(made)).toEqual(['kept']);
    expect((await submitJson(endpoint('kept'), { a: 1 })).status).toBe(200);
  });

  it.each(['%', '%zz', '%ff', '%C3%28', 'a%00b', '%E2%80%AE', '%ED%A0%80', 'x'.repeat(5_000)])(
    'is for an unknown form where the path is malformed: %s',
    async (segment) => {
      for (const method of ['POST', 'OPTIONS', 'GET']) {
        const url = `${server.url}/f/${segment}${method === 'GET' ? '/success' : ''}`;
        const answer = await visit(url, { method, headers: { 'content-type': 'application/json' } });
        expect([method, answer.status, answer.body]).toEqual([
          method,
          404,
          { error: 'Form not found', code: 'form_not_found' },
        ]);
      }
    },
  );
});
