/** Pages written for other form services: how they are recognised, what is stored, and what response they get. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { filePart, multipartBody, type Part, textPart } from '../../support/bodies.js';
import { type Client, client, type MadeForm, makeForm } from '../../support/client.js';
import { expectFields, uuid } from '../../support/contract.js';
import { blobsOnDisk, stagedFiles } from '../../support/data-folder.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { browserAccept, type VisitorAnswer, visit } from '../../support/visitor.js';

let server: RunningServer;
let api: Client;
let form: MadeForm;
let path: (text: string) => string;

beforeAll(async () => {
  server = await startServer();
  api = client(server.url);
});
afterAll(() => server.dispose());

type Headers = Readonly<Record<string, string>>;

const json = (url: string, fields: unknown, headers: Headers = {}): Promise<VisitorAnswer> =>
  visit(url, {
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(fields),
    isForeign: true,
  });

const urlencoded = (url: string, fields: Readonly<Record<string, string>>, headers: Headers = {}) =>
  visit(url, {
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
    isForeign: true,
  });

const multipart = (url: string, parts: readonly Part[], headers: Headers = {}) =>
  visit(url, {
    headers: { 'content-type': 'multipart/form-data; boundary=b', ...headers },
    body: multipartBody('b', parts),
    isForeign: true,
  });

const asBrowser: Headers = { accept: browserAccept, 'sec-fetch-mode': 'navigate' };

async function newForm(settings: Record<string, unknown> = {}): Promise<void> {
  form = await makeForm(server.url, { form: settings });
  path = (text) => `${server.url}${text.replace('{id}', form.publicId)}`;
}

async function stored(): Promise<{ data: unknown; control: unknown; files: number }[]> {
  const { body } = await api.get(`/api/v1/forms/${form.formId}/submissions`);
  return body.data.map(
    (item: { data: unknown; metadata: { control_fields?: unknown }; files: unknown[] }) => ({
      data: item.data,
      control: item.metadata.control_fields,
      files: item.files.length,
    }),
  );
}

const thanks = (): string => path('/f/{id}/success');

describe('Formspree', () => {
  const sdk: Headers = { 'formspree-client': '@formspree/react@3.0.0 @formspree/core@4.0.0' };
  beforeAll(() => newForm());

  it('is recognised by the header of its clients, and answered with `next`', async () => {
    const answer = await json(form.endpoint, { email: 'ada@example.com', _subject: 'Hi' }, sdk);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ok: true,
      next: thanks(),
      success: true,
      submission_id: expect.stringMatching(uuid),
      files: [],
    });
    expect(await stored()).toMatchObject([
      { data: { email: 'ada@example.com' }, control: { _subject: 'Hi' } },
    ]);
  });

  it('has the path of its projects', async () => {
    // The alias of such a form is `{project}/{key}`. Without the alias there is no form.
    const answer = await json(path('/p/123/f/contact'), { name: 'Ada' });
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({
      error: 'Form not found',
      code: 'form_not_found',
      errors: [{ code: 'FORM_NOT_FOUND', message: 'Form not found' }],
    });
  });

  it('names the field that is not an address', async () => {
    const answer = await json(form.endpoint, { email: 'nobody', name: 'Ada' }, sdk);
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({
      error: 'A field is not a valid e-mail address',
      code: 'invalid_email',
      details: [{ path: 'email', message: 'should be an email' }],
      errors: [{ code: 'TYPE_EMAIL', field: 'email', message: 'should be an email' }],
    });
  });

  it('takes no empty form', async () => {
    const answer = await json(form.endpoint, {}, sdk);
    expect([answer.status, answer.body.errors]).toEqual([
      422,
      [{ code: 'EMPTY', message: 'The form is empty' }],
    ]);
    const bot = await json(form.endpoint, { _gotcha: 'x' }, sdk);
    expect([bot.status, bot.body.next]).toEqual([200, thanks()]);
  });

  it.each([
    ['INACTIVE', { is_active: false }, {}],
    ['BLOCKED', { blocked_ips: ['127.0.0.1'] }, {}],
    ['BLOCKED', { allowed_origins: ['example.com'] }, { origin: 'https://evil.test' }],
  ])('says %s in its words', async (code, settings, headers) => {
    const other = await makeForm(server.url, { form: settings });
    const answer = await json(other.endpoint, { a: 1 }, { ...sdk, ...headers });
    expect(answer.status).toBe(403);
    expect(answer.body.errors).toEqual([{ code, message: answer.body.error }]);
  });

  it('leaves no file of a form that it does not take', async () => {
    const before = (await stored()).length;
    const answer = await multipart(
      form.endpoint,
      [textPart('email', 'nobody'), filePart('cv', 'cv.txt', 'text/plain', 'text')],
      { ...sdk, accept: 'application/json' },
    );
    expect(answer.status).toBe(422);
    expect(await stored()).toHaveLength(before);
  });
});

describe('Web3Forms', () => {
  beforeAll(() => newForm());
  const fields = () => ({ access_key: form.publicId, subject: 'New lead', from_name: 'Site', name: 'Ada' });

  it('posts to one address for all forms', async () => {
    const answer = await json(path('/submit'), { ...fields(), botcheck: false });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: true,
      message: 'Email sent successfully!',
      data: { name: 'Ada' },
      submission_id: expect.stringMatching(uuid),
      files: [],
    });
    expect(await stored()).toEqual([
      {
        data: { name: 'Ada' },
        control: { access_key: form.publicId, subject: 'New lead', from_name: 'Site' },
        files: 0,
      },
    ]);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(answer.headers['x-ratelimit-limit']).toBe('10000000');
  });

  it('leads a browser on, with the file that it sent before its key', async () => {
    const answer = await multipart(
      path('/submit'),
      [filePart('cv', 'cv.txt', 'text/plain', 'text'), textPart('access_key', form.publicId)],
      asBrowser,
    );
    expect([answer.status, answer.headers.location]).toEqual([
      303,
      expect.stringMatching(`^${thanks()}\\?submission_id=.*&status=success&files=1$`),
    ]);
    expect((await stored())[0]).toMatchObject({ data: {}, files: 1 });
  });

  it('is recognised by its key at the form itself', async () => {
    const answer = await json(form.endpoint, fields());
    expect(answer.body).toMatchObject({ success: true, message: 'Email sent successfully!' });
    expect((await stored())[0]?.data).toEqual({ name: 'Ada' });
  });

  it('keeps what fell into its honeypot', async () => {
    const before = (await stored()).length;
    const answer = await json(path('/submit'), { ...fields(), botcheck: true });
    expect([answer.status, answer.body.success]).toEqual([200, true]);
    expect(await stored()).toHaveLength(before);
  });

  it.each([
    ['an unknown key', { access_key: 'nobody', name: 'Ada' }, 404, 'Form not found'],
    ['no key', { name: 'Ada' }, 400, 'The request does not name a form'],
    ['an empty key', { access_key: '', name: 'Ada' }, 400, 'The request does not name a form'],
  ])('says why, with %s', async (_, body, status, message) => {
    const answer = await json(path('/submit'), body);
    expect([answer.status, answer.body]).toEqual([
      status,
      expect.objectContaining({ success: false, message, error: message }),
    ]);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
  });

  it('leaves nothing of a file that came to no form', async () => {
    const files = () => [...blobsOnDisk(server.dataDir), ...stagedFiles(server.dataDir)];
    const before = files();
    const answer = await multipart(path('/submit'), [
      textPart('access_key', 'nobody'),
      filePart('cv', 'cv.txt', 'text/plain', 'x'.repeat(2_000)),
    ]);
    expect(answer.status).toBe(404);
    expect(files()).toEqual(before);
  });

  it('is limited before the body is read once it was read too often for nothing', async () => {
    const limited = await startServer({ env: { RATE_LIMIT_PER_MINUTE: '5' } });
    try {
      const known = await makeForm(limited.url, { form: { blocked_ips: ['127.0.0.3'] } });
      const send = (from: string, fields: Record<string, string>) =>
        visit(`${limited.url}/submit`, {
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams(fields).toString(),
          from,
          isForeign: true,
        });
      for (const [from, fields, status, count] of [
        ['127.0.0.2', { a: '1' }, 400, 6],
        ['127.0.0.3', { access_key: known.publicId }, 403, 6],
        ['127.0.0.4', { access_key: 'nobody' }, 404, 5],
      ] as const) {
        const statuses: number[] = [];
        for (let i = 0; i < 8; i += 1) statuses.push((await send(from, fields)).status);
        expect(statuses).toEqual([...Array(count).fill(status), ...Array(8 - count).fill(429)]);
      }
      expect((await send('127.0.0.5', { access_key: known.publicId })).status).toBe(303);
    } finally {
      await limited.dispose();
    }
  });

  it('responds to the preflight of every page', async () => {
    const answer = await visit(path('/submit'), {
      method: 'OPTIONS',
      headers: {
        origin: 'https://example.com',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([204, '*']);
    expect(answer.headers['access-control-allow-methods']).toBe('POST, OPTIONS');
  });
});

describe('StaticForms', () => {
  beforeAll(() => newForm());

  it.each(['apiKey', 'accessKey'])('names its form by %s', async (name) => {
    const answer = await json(path('/submit'), {
      [name]: form.publicId,
      subject: 'Hi',
      email: 'a@example.com',
    });
    expect([answer.status, answer.body]).toEqual([
      200,
      expect.objectContaining({ success: true, message: 'Form submitted successfully' }),
    ]);
    expect((await stored())[0]).toMatchObject({
      data: { email: 'a@example.com' },
      control: { [name]: form.publicId, subject: 'Hi' },
    });
  });

  it('has a honeypot in every name with that word', async () => {
    const before = (await stored()).length;
    const answer = await json(path('/submit'), { apiKey: form.publicId, my_honeypot_2: 'x', a: '1' });
    expect(answer.status).toBe(200);
    expect(await stored()).toHaveLength(before);
  });
});

describe('Netlify Forms', () => {
  beforeAll(() => newForm());

  it('posts to the site itself and names the form', async () => {
    const answer = await urlencoded(
      path('/'),
      { 'form-name': form.publicId, name: 'Ada', 'bot-field': '' },
      asBrowser,
    );
    expect(answer.status).toBe(303);
    expect(await stored()).toEqual([
      { data: { name: 'Ada' }, control: { 'form-name': form.publicId }, files: 0 },
    ]);
  });

  it('gives its scripts a status that they understand', async () => {
    const scripted = { 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'cross-site' };
    const good = await urlencoded(path('/'), { 'form-name': form.publicId, name: 'Ada' }, scripted);
    expect(good.status).toBe(200);
    expectFields(good.body, ['success', 'submission_id', 'files']);
    const bad = await urlencoded(path('/'), { 'form-name': 'nobody', name: 'Ada' }, scripted);
    expect([bad.status, bad.body.error]).toEqual([404, 'Form not found']);
  });

  it('is nobody else’s business: what names no form, and what is no form, is not found as before', async () => {
    const nameless = await urlencoded(path('/'), { name: 'Ada' });
    expect([nameless.status, nameless.body]).toEqual([404, { error: 'Not found', code: 'path_not_found' }]);
    const notForm = await json(path('/'), { 'form-name': form.publicId });
    expect([notForm.status, notForm.body]).toEqual([404, { error: 'Not found', code: 'path_not_found' }]);
    const page = await visit(path('/'), { method: 'GET', isForeign: true });
    expect(page.status).toBe(302);
  });
});

describe('Formspark', () => {
  beforeAll(() => newForm({ allowed_origins: ['example.com'] }));
  const page: Headers = { origin: 'https://example.com' };

  it('has the id as its path', async () => {
    const answer = await json(
      path('/{id}'),
      {
        name: 'Ada',
        _email: { subject: 'Hi', from: 'Site', template: { title: 'x' } },
        _feedback: { language: 'de' },
      },
      page,
    );
    expect(answer.status).toBe(200);
    expectFields(answer.body, ['success', 'submission_id', 'files']);
    expect(await stored()).toEqual([
      {
        data: { name: 'Ada' },
        control: {
          '_email.subject': 'Hi',
          '_email.from': 'Site',
          '_email.template': '{"title":"x"}',
          '_feedback.language': 'de',
        },
        files: 0,
      },
    ]);
  });

  it('leads on without parameters when the page says so', async () => {
    const fields = { name: 'Ada', _redirect: 'https://example.com/thanks', '_email.subject': 'Hi' };
    const plain = await urlencoded(path('/{id}'), { ...fields, _append: 'false' }, { ...asBrowser, ...page });
    expect(plain.headers.location).toBe('https://example.com/thanks');
    const full = await urlencoded(path('/{id}/'), fields, { ...asBrowser, ...page });
    expect(full.headers.location).toMatch(
      /^https:\/\/example\.com\/thanks\?submission_id=.*&status=success$/,
    );
  });

  it('leads to its page of errors', async () => {
    const fields = { name: 'x'.repeat(1_100_000), _error: 'https://example.com/oops' };
    const large = await urlencoded(path('/{id}'), fields, { ...asBrowser, ...page });
    expect(large.status).toBe(413);
    const captcha = await makeForm(server.url, {
      form: { allowed_origins: ['example.com'], captcha_enabled: true, captcha_provider: 'altcha' },
    });
    const send = (to: string) =>
      urlencoded(`${server.url}/${captcha.publicId}`, { name: 'Ada', _error: to }, { ...asBrowser, ...page });
    const led = await send('https://example.com/oops');
    expect([led.status, led.headers.location]).toEqual([303, 'https://example.com/oops']);
    expect((await send('https://evil.test/oops')).status).toBe(403);
  });

  it('is not found where there is no such form, as any path', async () => {
    const answer = await json(path('/nobody'), { name: 'Ada' }, page);
    expect([answer.status, answer.body]).toEqual([404, { error: 'Not found', code: 'path_not_found' }]);
    const preflight = await visit(path('/nobody'), { method: 'OPTIONS', isForeign: true });
    expect(preflight.status).toBe(404);
  });

  it('responds to the preflight of allowed pages', async () => {
    const answer = await visit(path('/{id}'), {
      method: 'OPTIONS',
      headers: { ...page, 'access-control-request-method': 'POST' },
    });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([
      204,
      'https://example.com',
    ]);
  });
});

describe('Basin', () => {
  beforeAll(() => newForm());

  it('returns JSON at `.json`, whatever is accepted', async () => {
    const answer = await urlencoded(path('/f/{id}.json'), { name: 'Ada' }, asBrowser);
    expect([answer.status, answer.body.success]).toEqual([200, true]);
    const unknown = await urlencoded(path('/f/nobody.json'), { name: 'Ada' }, asBrowser);
    expect([unknown.status, unknown.body.error]).toEqual([404, 'Form not found']);
    const plain = await urlencoded(path('/f/{id}'), { name: 'Ada' }, asBrowser);
    expect(plain.status).toBe(303);
  });
});

describe('formcarry', () => {
  beforeAll(() => newForm());

  it('says in its body how it went', async () => {
    const good = await json(path('/s/{id}'), { name: 'Ada', _gotcha: '' });
    expect([good.status, good.body]).toEqual([
      200,
      {
        success: true,
        submission_id: expect.stringMatching(uuid),
        files: [],
        code: 200,
        status: 'success',
        title: 'Thank you!',
        message: 'We received your submission',
      },
    ]);
    const bad = await json(path('/s/nobody'), { name: 'Ada' });
    expect([bad.status, bad.body]).toEqual([
      404,
      { error: 'Form not found', code: 404, status: 'error', title: 'Error', message: 'Form not found' },
    ]);
  });
});

describe('FormSubmit', () => {
  beforeAll(() => newForm());

  it('answers scripts at /ajax with texts', async () => {
    const good = await json(path('/ajax/{id}'), { name: 'Ada', _captcha: 'false', _template: 'table' });
    expect([good.status, good.body]).toEqual([
      200,
      expect.objectContaining({ success: 'true', message: 'The form was submitted successfully.' }),
    ]);
    expect(await stored()).toMatchObject([
      { data: { name: 'Ada' }, control: { _captcha: 'false', _template: 'table' } },
    ]);
    const bad = await json(path('/ajax/nobody%40example.com'), { name: 'Ada' });
    expect([bad.status, bad.body]).toEqual([
      404,
      { error: 'Form not found', code: 'form_not_found', success: 'false', message: 'Form not found' },
    ]);
  });
});

describe('Forminit', () => {
  const sdk: Headers = { 'forminit-sdk-version': '0.2.4' };
  beforeAll(() => newForm());

  it('has names with a type, and gets an id back', async () => {
    const answer = await urlencoded(
      form.endpoint,
      {
        'fi-sender-email': 'ada@example.com',
        'fi-text-message': 'Hello',
        'fi-email-email': 'b@example.com',
        'fi-tracking-utmSource': 'ads',
        plain: 'yes',
      },
      { accept: 'application/json' },
    );
    expect(answer.status).toBe(200);
    const { submission_id: id } = answer.body;
    expect(answer.body).toEqual({
      success: true,
      submission_id: expect.stringMatching(uuid),
      files: [],
      submission: { hashId: id, submissionId: id },
      data: { hashId: id, submissionId: id },
      redirectUrl: thanks(),
    });
    expect(await stored()).toEqual([
      {
        data: { email: 'ada@example.com', message: 'Hello', 'email-email': 'b@example.com', plain: 'yes' },
        control: { 'fi-tracking-utmSource': 'ads' },
        files: 0,
      },
    ]);
  });

  it('sends blocks', async () => {
    const blocks = [
      { type: 'sender', properties: { email: 'ada@example.com', firstName: 'Ada' } },
      { type: 'text', name: 'message', value: 'Hello' },
      { type: 'number', name: 'age', value: 36 },
      { type: 'tracking', properties: { gclid: 'x' } },
      { type: 'text' },
    ];
    const answer = await json(form.endpoint, { blocks }, sdk);
    expect(answer.status).toBe(200);
    expect((await stored())[0]).toEqual({
      data: { email: 'ada@example.com', firstName: 'Ada', message: 'Hello', age: 36, text: null },
      control: { 'fi-tracking-gclid': 'x' },
      files: 0,
    });
  });

  it('sends the same through `proxyUrl`, wrapped', async () => {
    const blocks = [{ type: 'text', name: 'message', value: 'Hello' }];
    const wrapped = await json(form.endpoint, { forminitFormId: 'old-id', data: { blocks } }, sdk);
    expect(wrapped.status).toBe(200);
    const expected = { data: { message: 'Hello' }, control: { forminitFormId: 'old-id' }, files: 0 };
    expect((await stored())[0]).toEqual(expected);
    const fields = { 'fi-text-message': 'Hello', forminitFormId: 'old-id' };
    await urlencoded(form.endpoint, fields, { ...sdk, accept: 'application/json' });
    expect((await stored())[0]).toEqual(expected);
    // Fields with these names that mean something else.
    await json(form.endpoint, { data: { rows: 1 }, blocks: 'two' }, sdk);
    expect((await stored())[0]?.data).toEqual({ data: { rows: 1 }, blocks: 'two' });
  });

  it('loses none of the blocks that have the same name', async () => {
    const block = (value: number) => ({ type: 'number', name: 'n', value });
    await json(form.endpoint, { blocks: [block(1), block(2), block(3)] }, sdk);
    expect((await stored())[0]?.data).toEqual({ n: 1, 'number-n': [2, 3] });
  });

  it('loses nothing: numbers stay as written, repeated names become lists, odd blocks are fields', async () => {
    const send = (body: string) =>
      visit(form.endpoint, {
        headers: { 'content-type': 'application/json', ...sdk },
        body,
        isForeign: true,
      });
    const exact = '{"a":"1","text-a":["2","3"],"n":12345678901234567890,"m":1.0}';
    await send(
      '{"blocks":[{"type":"text","name":"a","value":"1"},{"type":"text","name":"a","value":"2"},{"type":"text","name":"a","value":"3"},' +
        '{"type":"number","name":"n","value":12345678901234567890},{"type":"number","name":"m","value":1.0}]}',
    );
    const { text } = await api.get(`/api/v1/forms/${form.formId}/submissions?limit=1`);
    expect(text).toContain(`"data":${exact}`);
    await send('{"blocks":["keep",["this"]],"fi-text-x":"1"}');
    expect((await stored())[0]?.data).toEqual({ blocks: ['keep', ['this']], x: '1' });
  });

  it('has no way around reserved names and limits', async () => {
    const before = (await stored()).length;
    const bot = await urlencoded(form.endpoint, { 'fi-text-_gotcha': 'x', a: '1' });
    expect(bot.status).toBe(303);
    expect(await stored()).toHaveLength(before);
    await urlencoded(form.endpoint, { 'fi-text-_replyto': 'a@example.com', 'fi-text-a': '1' });
    expect((await stored())[0]).toMatchObject({ data: { a: '1' }, control: { _replyto: 'a@example.com' } });
    const long = await json(
      form.endpoint,
      { blocks: [{ type: 'text', name: 'x'.repeat(500), value: '1' }] },
      sdk,
    );
    expect([long.status, long.body.limit_bytes]).toEqual([413, 256]);
  });

  it('reads the message of an error', async () => {
    const answer = await json(path('/f/nobody'), { blocks: [] }, sdk);
    expect([answer.status, answer.body]).toEqual([
      404,
      { error: 'Form not found', code: 404, success: false, message: 'Form not found' },
    ]);
  });
});

describe('two services at once', () => {
  beforeAll(() => newForm());
  const both = { 'formspree-client': 'x', 'forminit-sdk-version': '1' };

  it('the path decides before a header, a header before a field', async () => {
    const byPath = await json(path('/s/{id}'), { access_key: form.publicId, a: '1' }, both);
    expect([byPath.body.status, 'next' in byPath.body]).toEqual(['success', false]);
    const byHeader = await json(form.endpoint, { access_key: form.publicId, a: '1' }, both);
    expect([byHeader.body.ok, 'message' in byHeader.body]).toEqual([true, false]);
    const byField = await json(form.endpoint, {
      access_key: form.publicId,
      'form-name': 'x',
      'fi-text-a': '1',
      subject: 'x',
    });
    expect(byField.body.message).toBe('Email sent successfully!');
    expect((await stored())[0]?.data).toEqual({ 'fi-text-a': '1' });
  });

  it('the body cannot choose another form than the path', async () => {
    const other = await makeForm(server.url);
    await json(form.endpoint, { access_key: other.publicId, a: '1' });
    const { body } = await api.get(`/api/v1/forms/${other.formId}/submissions`);
    expect(body.data).toEqual([]);
  });
});

describe('an alias', () => {
  beforeAll(() => newForm());
  const add = async (alias: string): Promise<void> => {
    expect((await api.post(`/api/v1/forms/${form.formId}/aliases`, { alias })).status).toBe(201);
  };
  const key = '5f0d3c4e-7a1b-4f0e-9a43-2b8f1c6d7e90';

  it.each([
    ['Formspree’s project and key', '123456/contactForm', '/p/123456/f/contactForm'],
    ['Formspree’s id', 'mqkvgjzd', '/f/mqkvgjzd'],
    ['Formspark’s id', 'Zq4Ld9', '/Zq4Ld9'],
    ['Basin’s id', 'd41d8cd98f00', '/f/d41d8cd98f00.json'],
    ['formcarry’s id', 'Xy_2-bC', '/s/Xy_2-bC'],
    ['Forminit’s id', 'ab12cd34', '/f/ab12cd34/'],
  ])('that is %s names the form in its path', async (_, alias, at) => {
    await add(alias);
    const answer = await json(path(at), { name: alias });
    expect([answer.status, answer.body.success]).toEqual([200, true]);
    expect((await stored())[0]?.data).toEqual({ name: alias });
  });

  it('that is an address is one in any case and spelling', async () => {
    await add('Ada.Lovelace@Example.com');
    for (const at of ['ada.lovelace@example.com', 'ADA.LOVELACE@EXAMPLE.COM', 'Ada.Lovelace%40example.com']) {
      const before = (await stored()).length;
      const script = await json(path(`/ajax/${at}`), { at });
      expect([script.status, script.body.success]).toEqual([200, 'true']);
      const plain = await urlencoded(path(`/${at}`), { at }, asBrowser);
      expect([plain.status, plain.headers.location]).toEqual([
        303,
        expect.stringContaining(`/f/${form.publicId}/success?`),
      ]);
      expect(await stored()).toHaveLength(before + 2);
    }
  });

  it('that is an access key names the form in the body', async () => {
    await add(key);
    expect((await json(path('/submit'), { access_key: key, name: 'Web3Forms' })).status).toBe(200);
    expect((await stored())[0]?.data).toEqual({ name: 'Web3Forms' });
    expect((await json(path('/submit'), { apiKey: key, name: 'StaticForms' })).status).toBe(200);
    expect((await stored())[0]?.data).toEqual({ name: 'StaticForms' });
    // Ids and keys are case-sensitive.
    expect((await json(path('/submit'), { access_key: key.toUpperCase(), name: 'x' })).status).toBe(404);
  });

  it('that is a form name may have blanks', async () => {
    await add('Contact us');
    const answer = await urlencoded(path('/'), { 'form-name': 'Contact us', name: 'Netlify' }, asBrowser);
    expect(answer.status).toBe(303);
    expect((await stored())[0]).toEqual({
      data: { name: 'Netlify' },
      control: { 'form-name': 'Contact us' },
      files: 0,
    });
  });

  it('of another account reaches its form, and nothing of this one', async () => {
    const { api_key: theirKey } = await makeAccount(server, 'pro');
    const other = await makeForm(server.url, { key: theirKey });
    const theirs = client(server.url, theirKey);
    const alias = 'their-old-id';
    expect((await theirs.post(`/api/v1/forms/${other.formId}/aliases`, { alias })).status).toBe(201);
    const before = (await stored()).length;
    expect((await json(path(`/s/${alias}`), { name: 'Ada' })).status).toBe(200);
    // The path names the form; a key in the body is ignored.
    await json(path(`/f/${alias}`), { access_key: key, name: 'Grace' });
    const { body } = await theirs.get(`/api/v1/forms/${other.formId}/submissions`);
    expect(body.data.map(({ data }: { data: unknown }) => data)).toEqual([
      { name: 'Grace' },
      { name: 'Ada' },
    ]);
    expect(await stored()).toHaveLength(before);
    expect((await api.get(`/api/v1/forms/${other.formId}/aliases`)).status).toBe(404);
    expect((await api.delete(`/api/v1/forms/${form.formId}/aliases`, { alias })).status).toBe(404);
    expect((await json(path(`/s/${alias}`), { name: 'still there' })).status).toBe(200);
  });
});

describe('without a sign', () => {
  beforeAll(() => newForm());

  it('names that another service would take out are data, and the response is the interface’s own', async () => {
    const fields = {
      subject: 'Hello',
      redirect: 'https://evil.test',
      replyto: 'a@example.com',
      apiKey: 'x',
      accessKey: 'y',
      blocks: [{ type: 'text', name: 'a', value: 'b' }],
      list: ['x', 'fi-text-a'],
      message: '{"fi-text-a":1}',
      my_honeypot: 'bees',
    };
    const answer = await json(form.endpoint, fields);
    expect(answer.status).toBe(200);
    expectFields(answer.body, ['success', 'submission_id', 'files']);
    expect(await stored()).toEqual([{ data: fields, control: undefined, files: 0 }]);
  });
});
