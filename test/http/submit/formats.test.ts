/** The three formats of a submission and the formats of its response. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filePart, textPart } from '../../support/bodies.js';
import { client, type MadeForm, makeForm } from '../../support/client.js';
import { dataText, getSubmission, keptSubmissions } from '../../support/kept.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { browserAccept, postJson, postMultipart, postUrlencoded, visit } from '../../support/visitor.js';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let server: RunningServer;
let form: MadeForm;

beforeAll(async () => {
  server = await startServer();
  form = await makeForm(server.url);
});
afterAll(() => server.dispose());

describe('the three formats', () => {
  it('takes JSON and returns exactly the three fields of the interface', async () => {
    const answer = await postJson(form.endpoint, { name: 'Ada', message: 'Hello' });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/json\b/);
    expect(Object.keys(answer.body)).toEqual(['success', 'submission_id', 'files']);
    expect(answer.body).toEqual({ success: true, submission_id: expect.stringMatching(uuid), files: [] });
    expect(await dataText(server, answer.body.submission_id)).toBe('{"name":"Ada","message":"Hello"}');
  });

  it('takes URL-encoded fields', async () => {
    const answer = await postUrlencoded(form.endpoint, 'name=Ada+L%C3%B6v&message=a%26b%3Dc', {
      accept: 'application/json',
    });
    expect(answer.status).toBe(200);
    expect(await dataText(server, answer.body.submission_id)).toBe('{"name":"Ada Löv","message":"a&b=c"}');
  });

  it('takes multipart with files, and names each by id, filename, type and size', async () => {
    const answer = await postMultipart(
      form.endpoint,
      [
        textPart('name', 'Ada'),
        filePart('cv', 'cv.txt', 'my life', 'text/plain'),
        filePart('photo', 'me.bin', Buffer.alloc(70_000, 7), 'application/octet-stream'),
      ],
      { accept: 'application/json' },
    );
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: true,
      submission_id: expect.stringMatching(uuid),
      files: [
        { id: expect.stringMatching(uuid), filename: 'cv.txt', type: 'text/plain', size: 7 },
        {
          id: expect.stringMatching(uuid),
          filename: 'me.bin',
          type: 'application/octet-stream',
          size: 70_000,
        },
      ],
    });
    const stored = await getSubmission(server, answer.body.submission_id);
    expect(stored.body.data).toEqual({ name: 'Ada' });
    expect(stored.body.files).toEqual([
      { ...answer.body.files[0], field: 'cv' },
      { ...answer.body.files[1], field: 'photo' },
    ]);
  });

  it('reads parameters, blanks and case in the content type as they are meant', async () => {
    for (const type of [
      'application/json; charset=utf-8',
      'Application/JSON',
      'application/json;charset="UTF-8"',
    ]) {
      expect(
        (await visit(form.endpoint, { headers: { 'content-type': type }, body: '{"a":1}' })).status,
      ).toBe(200);
    }
    const encoded = await visit(form.endpoint, {
      headers: {
        'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
        accept: 'application/json',
      },
      body: 'a=1',
    });
    expect(encoded.status).toBe(200);
  });

  it.each([
    ['nothing', undefined],
    ['plain text', 'text/plain'],
    ['XML', 'application/xml'],
    ['another JSON', 'application/vnd.api+json'],
    ['multipart without a boundary', 'multipart/form-data'],
    ['another multipart', 'multipart/mixed; boundary=x'],
    ['another charset', 'application/json; charset=utf-16'],
    ['nonsense', ';;;'],
  ])('refuses %s as the content type', async (_what, type) => {
    const headers = type === undefined ? {} : { 'content-type': type };
    const answer = await visit(form.endpoint, { headers, body: '{"a":1}' });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toBe('Invalid content type');
    expect(answer.body.detail).toEqual(expect.stringMatching(/\S/));
  });

  it('says what is really wrong with a body that is none', async () => {
    const broken = await postJson(form.endpoint, '{"name": "Ada"');
    expect(broken.status).toBe(400);
    expect(broken.body.error).toBe('Invalid content type');
    expect(broken.body.detail).toMatch(/^The body is not valid JSON: /);

    const boundless = await visit(form.endpoint, {
      headers: { 'content-type': 'multipart/form-data' },
      body: 'x',
    });
    expect(boundless.body).toEqual({
      error: 'Invalid content type',
      code: 'invalid_content_type',
      detail: 'Missing multipart boundary',
    });

    for (const text of ['[]', '"text"', '12', 'null', '']) {
      const answer = await postJson(form.endpoint, text);
      expect([text, answer.status, answer.body.error]).toEqual([text, 400, 'Invalid content type']);
    }
  });
});

describe('JSON or redirect', () => {
  const encoded = 'application/x-www-form-urlencoded';
  it.each([
    ['Accept: application/json', { accept: 'application/json' }, 200],
    ['Accept: application/json with a weight', { accept: 'application/json;q=0.9' }, 200],
    ['Accept: Application/JSON', { accept: 'Application/JSON' }, 200],
    ['Accept: text/html and JSON', { accept: 'text/html, application/json' }, 200],
    ['Accept: JSON and anything', { accept: 'application/json, text/plain, */*' }, 200],
    ['no Accept', {}, 303],
    ['Accept: */*', { accept: '*/*' }, 303],
    ['a browser', { accept: browserAccept }, 303],
  ])('a plain form with %s', async (_what, headers, status) => {
    const answer = await visit(form.endpoint, {
      headers: { 'content-type': encoded, ...headers },
      body: 'a=1',
    });
    expect(answer.status).toBe(status);
    if (status === 200) expect(answer.body.success).toBe(true);
    else expect(answer.headers.location).toContain('status=success');
  });

  it('returns JSON to JSON whatever is accepted', async () => {
    for (const accept of [browserAccept, '*/*', 'text/html']) {
      expect((await postJson(form.endpoint, { a: 1 }, { accept })).status).toBe(200);
    }
  });

  it('redirects a multipart form as well', async () => {
    const answer = await postMultipart(form.endpoint, [textPart('a', '1')], { accept: browserAccept });
    expect(answer.status).toBe(303);
  });
});

describe('the redirect', () => {
  it('leads to the default page, which can be fetched', async () => {
    const answer = await postUrlencoded(form.endpoint, 'a=1');
    const [newest] = await keptSubmissions(server, form.formId);
    expect(answer.headers.location).toBe(
      `${server.url}/f/${form.publicId}/success?submission_id=${newest?.id}&status=success`,
    );
    const page = await visit(answer.headers.location ?? '', {
      method: 'GET',
      headers: { accept: browserAccept },
    });
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.text).toContain('<!doctype html>');
    expect(page.text).toContain('Thank you');
    expect(page.text).not.toContain('<script');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.headers['x-content-type-options']).toBe('nosniff');
    const head = await visit(answer.headers.location ?? '', { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
  });

  it('has no success page for a form that does not exist', async () => {
    const page = await visit(`${server.url}/f/nosuchform/success`, { method: 'GET' });
    expect(page.status).toBe(404);
    expect(page.body).toEqual({ error: 'Form not found', code: 'form_not_found' });
  });

  it.each([
    [
      'https://example.com/thanks',
      /^https:\/\/example\.com\/thanks\?submission_id=[0-9a-f-]{36}&status=success$/,
    ],
    [
      'https://example.com/thanks?lang=de&x=a%20b',
      /^https:\/\/example\.com\/thanks\?lang=de&x=a%20b&submission_id=[0-9a-f-]{36}&status=success$/,
    ],
    [
      'https://example.com/thanks#done',
      /^https:\/\/example\.com\/thanks\?submission_id=[0-9a-f-]{36}&status=success#done$/,
    ],
    [
      'https://example.com/a?b=c#d?e=f',
      /^https:\/\/example\.com\/a\?b=c&submission_id=[0-9a-f-]{36}&status=success#d\?e=f$/,
    ],
    ['http://example.com', /^http:\/\/example\.com\/?\?submission_id=[0-9a-f-]{36}&status=success$/],
  ])('adds its parameters to %s', async (target, expected) => {
    const own = await makeForm(server.url, { form: { success_redirect: target } });
    const answer = await postUrlencoded(own.endpoint, 'a=1');
    expect(answer.status).toBe(303);
    expect(answer.headers.location).toMatch(expected);
  });

  it('is a header for a script, which follows no redirect, and its page may read it', async () => {
    const own = await makeForm(server.url, { form: { success_redirect: 'https://example.com/t?x=1' } });
    const answer = await postJson(own.endpoint, { a: 1 }, { origin: 'https://example.com' });
    expect(answer.body).toEqual({ success: true, submission_id: expect.any(String), files: [] });
    expect(answer.headers['x-success-redirect']).toBe(
      `https://example.com/t?x=1&submission_id=${answer.body.submission_id}&status=success`,
    );
    expect(answer.headers['access-control-expose-headers']).toContain('X-Success-Redirect');
    const bare = await postJson(own.endpoint, { a: 1, _append: 'false' });
    expect(bare.headers['x-success-redirect']).toBe('https://example.com/t?x=1');
    const none = await postJson((await makeForm(server.url)).endpoint, { a: 1 });
    expect(none.headers['x-success-redirect']).toBeUndefined();
    expect(none.headers['access-control-expose-headers']).not.toContain('X-Success-Redirect');
  });

  it('counts the files, if there are any, and names the stored submission', async () => {
    const own = await makeForm(server.url, { form: { success_redirect: 'https://example.com/t?x=1#y' } });
    const answer = await postMultipart(own.endpoint, [
      filePart('a', 'a.txt', 'a', 'text/plain'),
      filePart('b', 'b.txt', 'b', 'text/plain'),
    ]);
    const target = new URL(answer.headers.location ?? '');
    expect([...target.searchParams.keys()]).toEqual(['x', 'submission_id', 'status', 'files']);
    expect(target.searchParams.get('files')).toBe('2');
    expect(target.hash).toBe('#y');
    const stored = await getSubmission(server, target.searchParams.get('submission_id') ?? '');
    expect(stored.body.files).toHaveLength(2);
  });

  it('beyond ASCII is written so that it fits into a header', async () => {
    const own = await makeForm(server.url, {
      form: { success_redirect: 'https://example.com/dänke/例?x=ü#ö' },
    });
    const answer = await postUrlencoded(own.endpoint, 'a=1');
    expect(answer.status).toBe(303);
    expect(answer.headers.location).toMatch(/^[\x21-\x7e]+$/);
    const { pathname, searchParams, hash } = new URL(answer.headers.location ?? '');
    expect(decodeURI(pathname)).toBe('/dänke/例');
    expect(searchParams.get('x')).toBe('ü');
    expect(decodeURI(hash)).toBe('#ö');
  });

  it('never takes its target from the visitor', async () => {
    for (const name of ['_next', '_redirect', 'success_redirect', 'redirect', 'next']) {
      const answer = await postUrlencoded(form.endpoint, `${name}=https%3A%2F%2Fevil.example%2F`);
      expect(answer.headers.location).toMatch(new RegExp(`^${server.url}/f/${form.publicId}/success\\?`));
    }
    const query = await postUrlencoded(`${form.endpoint}?success_redirect=https://evil.example/`, 'a=1');
    expect(query.headers.location).not.toContain('evil');
  });

  it('refuses targets that are neither http nor https', async () => {
    for (const target of [
      'javascript:alert(1)',
      'data:text/html,x',
      'ftp://example.com/',
      '/relative',
      '//evil',
    ]) {
      const answer = await client(server.url).patch(`/api/v1/forms/${form.formId}`, {
        success_redirect: target,
      });
      expect([target, answer.status]).toEqual([target, 400]);
    }
  });
});

describe('an error', () => {
  it('is a readable page for a browser navigation, with the same status', async () => {
    const own = await makeForm(server.url, { form: { name: '<b>"Contact" & \'us\'</b>', is_active: false } });
    const answer = await postUrlencoded(own.endpoint, 'a=1', {
      accept: browserAccept,
      referer: 'https://example.com/?"><script>alert(1)</script>',
    });
    expect(answer.status).toBe(403);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.text).toContain('Form is not active');
    expect(answer.text).toContain('&lt;b&gt;&quot;Contact&quot; &amp; &#39;us&#39;&lt;/b&gt;');
    expect(answer.text).not.toMatch(/<script|<b>/i);
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
  });

  it('links back only to http and https addresses', async () => {
    const own = await makeForm(server.url, { form: { is_active: false } });
    const page = async (referer: string): Promise<string> =>
      (await postUrlencoded(own.endpoint, 'a=1', { accept: 'text/html', referer })).text;
    expect(await page('javascript:alert(1)')).not.toContain('javascript:');
    expect(await page('https://example.com/contact')).toContain('href="https://example.com/contact"');
  });

  it('is JSON for everyone else', async () => {
    const own = await makeForm(server.url, { form: { is_active: false } });
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }, { accept: 'text/plain' }]) {
      const answer = await postUrlencoded(own.endpoint, 'a=1', headers);
      expect(answer.status).toBe(403);
      expect(answer.headers['content-type']).toMatch(/^application\/json\b/);
      expect(answer.body).toEqual({ error: 'Form is not active', code: 'form_inactive' });
    }
    const json = await postJson(own.endpoint, { a: 1 }, { accept: browserAccept });
    expect(json.body).toEqual({ error: 'Form is not active', code: 'form_inactive' });
  });

  it('is a page for every status that a visitor can meet', async () => {
    const page = async (url: string, body: string, type: string): Promise<number> => {
      const answer = await visit(url, { headers: { accept: browserAccept, 'content-type': type }, body });
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(answer.text).toContain('<h1>');
      return answer.status;
    };
    const encoded = 'application/x-www-form-urlencoded';
    expect(await page(`${server.url}/f/nosuchform`, 'a=1', encoded)).toBe(404);
    expect(await page(form.endpoint, 'a=1', 'text/plain')).toBe(400);
    expect(await page(form.endpoint, `a=${'x'.repeat(1024 * 1024)}`, encoded)).toBe(413);
    const slow = await makeForm(server.url, { project: { rate_limit_per_minute: 1 } });
    expect((await postUrlencoded(slow.endpoint, 'a=1')).status).toBe(303);
    expect(await page(slow.endpoint, 'a=1', encoded)).toBe(429);
  });
});

describe('a script of a page', () => {
  const script = {
    'sec-fetch-mode': 'cors',
    'sec-fetch-site': 'cross-site',
    origin: 'https://example.com',
    accept: '*/*',
  };
  const fields = 'name=Ada&message=Hello';

  it('gets JSON that it can read, without asking for it', async () => {
    const answer = await postUrlencoded(form.endpoint, fields, script);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ success: true, submission_id: expect.stringMatching(uuid), files: [] });
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    const old = { accept: '*/*', 'x-requested-with': 'XMLHttpRequest' };
    expect((await postUrlencoded(form.endpoint, fields, old)).body.success).toBe(true);
  });

  it('gets a part of a page when it asks for HTML', async () => {
    const headers = { ...script, accept: 'text/html, */*', 'accept-language': 'de' };
    const answer = await postUrlencoded(form.endpoint, fields, headers);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['content-language']).toBe('de');
    expect(answer.text).toMatch(
      /^<div class="inlet-response inlet-done" role="status" lang="de">.*<\/div>\n$/,
    );
    const refused = await visit(form.endpoint, {
      headers: { ...headers, 'content-type': 'text/plain' },
      body: 'x',
    });
    expect(refused.status).toBe(400);
    expect(refused.text).toMatch(/^<div class="inlet-response inlet-stop"/);
  });

  it('with htmx goes on to the page that the owner chose', async () => {
    const success_redirect = 'https://example.com/thanks?a=1';
    const thankful = await makeForm(server.url, { form: { success_redirect } });
    const answer = await postUrlencoded(thankful.endpoint, fields, { ...script, 'hx-request': 'true' });
    expect(answer.status).toBe(200);
    expect(answer.headers['hx-redirect']).toMatch(
      /^https:\/\/example\.com\/thanks\?a=1&submission_id=.*&status=success$/,
    );
    expect(answer.headers['access-control-expose-headers']).toMatch(/, HX-Redirect$/);
    const other = await postUrlencoded(thankful.endpoint, fields, { ...script, accept: 'text/html' });
    expect(other.headers['hx-redirect']).toBeUndefined();
  });

  it('that does not read the response is redirected like a form', async () => {
    const beacon = { 'sec-fetch-mode': 'no-cors', accept: '*/*' };
    expect((await postUrlencoded(form.endpoint, fields, beacon)).status).toBe(303);
  });
});
