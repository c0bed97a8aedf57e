/** The pages for visitors without JavaScript: their texts in five languages, their headers, their stylesheet. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filePart, textPart } from '../../support/bodies.js';
import { client, type MadeForm, makeForm } from '../../support/client.js';
import { type RunningServer, startServer } from '../../support/server.js';
import {
  browserAccept,
  postJson,
  postMultipart,
  postUrlencoded,
  type VisitorAnswer,
  visit,
} from '../../support/visitor.js';

let server: RunningServer;
let proxied: RunningServer;
let form: MadeForm;
let closed: MadeForm;

beforeAll(async () => {
  [server, proxied] = await Promise.all([
    startServer({ env: { MAX_FILES: '1', MAX_FILE_BYTES: String(2 * 1024 * 1024) } }),
    startServer({ env: { BASE_URL: 'https://example.com/inlet', DEFAULT_PLAN: 'starter' } }),
  ]);
  form = await makeForm(server.url);
  closed = await makeForm(server.url, { form: { name: 'Closed', is_active: false } });
});
afterAll(() => Promise.all([server.dispose(), proxied.dispose()]));

const page = { accept: browserAccept };
const success = (headers: Record<string, string> = {}, method = 'GET'): Promise<VisitorAnswer> =>
  visit(`${form.endpoint}/success`, { method, headers });
const styleOf = ({ text }: VisitorAnswer): string =>
  /<link rel="stylesheet" href="([^"]*)">/.exec(text)?.[1] ?? '';
const headingOf = ({ text }: VisitorAnswer): string => /<h1>([^<]*)<\/h1>/.exec(text)?.[1] ?? '';

describe('the success page', () => {
  it('thanks, names the form and links back', async () => {
    const answer = await success({ ...page, referer: 'https://example.com/contact?a=1&b=2' });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-language': 'en',
      vary: 'Accept-Language',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy':
        `default-src 'none'; style-src 'self' ${server.url}; base-uri 'none'; form-action 'none'; ` +
        'frame-ancestors *',
    });
    expect(headingOf(answer)).toBe('Thank you');
    expect(answer.text).toContain('<bdi>Contact</bdi>');
    expect(answer.text).toContain('Your message has been received.');
    expect(answer.text).toContain('href="https://example.com/contact?a=1&amp;b=2"');
    expect(answer.text).not.toContain('What you typed');
    expect(answer.text).not.toMatch(/<script|<style|style=/);
  });

  it('without a page to link to speaks of the back button', async () => {
    for (const referer of [undefined, 'javascript:alert(1)', `${form.endpoint}/success`]) {
      const { text } = await success(referer === undefined ? {} : { referer });
      expect(text).not.toContain('<a ');
      expect(text).toContain('back button');
    }
  });

  it('is the same to HEAD, without its body', async () => {
    const [whole, head] = await Promise.all([success(page), success(page, 'HEAD')]);
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(whole.text)));
    expect(head.headers['content-security-policy']).toBe(whole.headers['content-security-policy']);
  });
});

describe('the look that the owner chose', () => {
  const settings = {
    page_title: 'Got <it>',
    page_text: 'We write back.\nThe "team" & co',
    page_logo_url: 'https://cdn.example.com:8443/logo.png?a=1&b=2',
    page_color: '#FFcc00',
  };
  const policyOf = ({ headers }: VisitorAnswer): string => String(headers['content-security-policy']);

  it('is on the thank-you page, which allows its own parts and no more', async () => {
    const own = await makeForm(server.url, { form: settings });
    const answer = await visit(`${own.endpoint}/success`, { method: 'GET', headers: page });
    expect(headingOf(answer)).toBe('Got &lt;it&gt;');
    expect(answer.text).toContain('<p>We write back.\nThe &quot;team&quot; &amp; co</p>');
    expect(answer.text).toContain('<img src="https://cdn.example.com:8443/logo.png?a=1&amp;b=2" alt="">');
    const [, style = ''] = /<style>([^<]*)<\/style>/.exec(answer.text) ?? [];
    expect(style).toBe('a,button,.done{background:#FFcc00;border-color:#FFcc00;color:#000}');
    const hash = createHash('sha256').update(style).digest('base64');
    expect(policyOf(answer)).toBe(
      `default-src 'none'; style-src 'self' ${server.url} 'sha256-${hash}'; ` +
        "img-src https://cdn.example.com:8443; base-uri 'none'; form-action 'none'; frame-ancestors *",
    );
    expect(Buffer.byteLength(answer.text)).toBeLessThan(5_000);
  });

  it('is on error pages too, in our words', async () => {
    const own = await makeForm(server.url, { form: { ...settings, is_active: false } });
    const answer = await postUrlencoded(own.endpoint, 'a=1', page);
    expect(headingOf(answer)).toBe('This form is closed');
    expect(answer.text).toContain('<img src="https://cdn.example.com:8443/logo.png');
    expect(policyOf(answer)).toContain('img-src https://cdn.example.com:8443;');
  });

  it('puts the words into the fragment for a script as well', async () => {
    const own = await makeForm(server.url, { form: settings });
    const scripted = { 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'cross-site', accept: 'text/html' };
    const { text, headers } = await postUrlencoded(own.endpoint, 'a=1', scripted);
    expect(text).toContain('<strong>Got &lt;it&gt;</strong>');
    expect(text).not.toMatch(/<img|<style/);
    expect(headers['content-security-policy']).not.toContain('img-src');
  });

  it.each([
    ['page_logo_url', 'http://example.com/logo.png'],
    ['page_logo_url', 'https://example.com'],
    ['page_logo_url', "https://a;script-src'none'.example.com/logo.png"],
    ['page_logo_url', 'https://user@example.com/logo.png'],
    ['page_logo_url', 'javascript:alert(1)'],
    ['page_logo_url', `https://example.com/${'x'.repeat(500)}`],
    ['page_color', 'red'],
    ['page_color', '#fff'],
    ['page_color', '#fffff;'],
    ['page_color', '#ffffff}'],
    ['page_title', ''],
    ['page_title', ' '],
    ['page_title', 'x'.repeat(101)],
    ['page_text', 'x'.repeat(501)],
  ])('is not %s: %s', async (name, value) => {
    const api = client(server.url);
    const answer = await api.patch(`/api/v1/forms/${form.formId}`, { [name]: value });
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe('invalid_body');
    expect(new Set(answer.body.details.map(({ path }: { path: string }) => path))).toEqual(new Set([name]));
  });
});

describe('the language', () => {
  it.each([
    ['en-GB,en;q=0.9', 'en', 'Thank you', 'This form is closed'],
    ['de-CH,de;q=0.9,en;q=0.8', 'de', 'Vielen Dank', 'Dieses Formular ist geschlossen'],
    ['fr', 'fr', 'Merci', 'Ce formulaire est fermé'],
    ['pt;q=0.9, es-MX;q=0.8', 'es', 'Gracias', 'Este formulario está cerrado'],
    ['zh-TW', 'zh-Hans', '谢谢您', '此表单已关闭'],
    ['*', 'en', 'Thank you', 'This form is closed'],
    ['tlh', 'en', 'Thank you', 'This form is closed'],
    [`${'de;q=0.1,'.repeat(800)}fr`, 'de', 'Vielen Dank', 'Dieses Formular ist geschlossen'],
  ])('for %.40s is %s', async (accepted, tag, thanks, refused) => {
    const headers = { ...page, 'accept-language': accepted };
    const answers = await Promise.all([success(headers), postUrlencoded(closed.endpoint, 'a=1', headers)]);
    expect(answers.map(headingOf)).toEqual([thanks, refused]);
    for (const answer of answers) {
      expect(answer.headers['content-language']).toBe(tag);
      expect(answer.text).toContain(`<html lang="${tag}">`);
    }
  });

  it('stands in Vary, beside the origin where that matters too', async () => {
    const listed = await makeForm(server.url, { form: { allowed_origins: ['example.com'] } });
    const refused = await postUrlencoded(listed.endpoint, 'a=1', { ...page, origin: 'https://example.org' });
    expect([refused.status, refused.headers.vary]).toEqual([403, 'Origin, Accept-Language']);
    const open = await postUrlencoded(closed.endpoint, 'a=1', page);
    expect(open.headers.vary).toBe('Accept-Language');
  });

  it('changes nothing for programs', async () => {
    const answer = await postJson(closed.endpoint, { a: 1 }, { 'accept-language': 'de' });
    expect(answer.text).toBe('{"error":"Form is not active","code":"form_inactive"}');
    expect([answer.headers['content-language'], answer.headers.vary]).toEqual([undefined, undefined]);
  });
});

describe('an error page', () => {
  it('says when to send again, as Retry-After does', async () => {
    const slow = await makeForm(server.url, { project: { rate_limit_per_minute: 1 } });
    await postUrlencoded(slow.endpoint, 'a=1');
    const refused = await postUrlencoded(slow.endpoint, 'a=1', page);
    expect(refused.status).toBe(429);
    const seconds = Number(refused.headers['retry-after']);
    const when = seconds === 60 ? 'in 1 minute' : seconds === 1 ? 'in 1 second' : `in ${seconds} seconds`;
    expect(refused.text).toContain(`Please send again ${when}.`);
    const german = await postUrlencoded(slow.endpoint, 'a=1', { ...page, 'accept-language': 'de' });
    expect(german.text).toMatch(/Bitte senden Sie in \d+ (Sekunden?|Minute) noch einmal\./);
  });

  it('names the limit', async () => {
    const file = (name: string, bytes: number) => filePart(name, `${name}.bin`, Buffer.alloc(bytes, 1));
    const large = await postMultipart(form.endpoint, [file('a', 2 * 1024 * 1024 + 1)], page);
    expect([large.status, headingOf(large)]).toEqual([413, 'File too large']);
    expect(large.text).toContain('The file is larger than 2 MB. Choose a smaller one and send again.');
    const many = await postMultipart(form.endpoint, [file('a', 1), file('b', 1)], page);
    expect([many.status, headingOf(many)]).toEqual([413, 'Too many files']);
    expect(many.text).toContain('You chose more than 1 file.');
    const text = await postUrlencoded(form.endpoint, `a=${'x'.repeat(1024 * 1024)}`, page);
    expect(text.text).toContain('What you sent is larger than 1 MB.');
    const fields = await postUrlencoded(form.endpoint, 'a=&'.repeat(1_001), page);
    expect(fields.text).toContain('more than 1,000 parts');
  });

  it('keeps the technical cause, in English', async () => {
    const headers = { ...page, 'accept-language': 'fr', 'content-type': 'multipart/form-data' };
    const answer = await visit(form.endpoint, { headers, body: 'x' });
    expect(answer.status).toBe(400);
    expect(headingOf(answer)).toBe('Le message n’a pas pu être lu');
    expect(answer.text).toContain('<p class="detail" lang="en"><bdi>Missing multipart boundary</bdi></p>');
  });

  it('promises what was typed only to those who typed', async () => {
    const posted = await postUrlencoded(`${server.url}/f/nosuchform`, 'a=1', page);
    const opened = await visit(form.endpoint, { method: 'GET', headers: page });
    expect([posted.status, opened.status, opened.headers.allow]).toEqual([404, 405, 'POST, OPTIONS']);
    expect([posted, opened].map(headingOf)).toEqual(['Form not found', 'Nothing to see here']);
    expect([posted, opened].map(({ text }) => text.includes('What you typed is still there'))).toEqual([
      true,
      false,
    ]);
  });

  it('tells what to do about a check that was not passed', async () => {
    const checked = await makeForm(server.url, { form: { captcha_enabled: true } });
    const answer = await postUrlencoded(checked.endpoint, 'a=1', page);
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('Go back, complete it and send again.');
  });

  it('shows a hostile name and a hostile address as what they are', async () => {
    const name = '<img src=x onerror=alert(1)>\u202E"\'&';
    const hostile = await makeForm(server.url, { form: { name, is_active: false } });
    const referer = 'https://example.com/"><script>alert(1)</script>';
    const { text } = await postUrlencoded(hostile.endpoint, 'a=1', { ...page, referer });
    expect(text).toContain('<bdi>&lt;img src=x onerror=alert(1)&gt;[U+202E]&quot;&#39;&amp;</bdi>');
    expect(text).not.toMatch(/<script|<img/);
    expect(text).toContain('href="https://example.com/%22%3E%3Cscript%3Ealert(1)%3C/script%3E"');
  });
});

describe('the stylesheet', () => {
  it('is one file for all pages, kept for ever', async () => {
    const url = styleOf(await success());
    expect(url).toMatch(new RegExp(`^${server.url}/assets/visitor-[0-9a-f]{16}\\.css$`));
    expect(styleOf(await postUrlencoded(closed.endpoint, 'a=1', page))).toBe(url);
    const style = await visit(url, { method: 'GET' });
    expect(style.status).toBe(200);
    expect(style.headers).toMatchObject({
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    expect(style.text).toContain('prefers-color-scheme:dark');
    const head = await visit(url, { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(style.text)));
  });

  it('is there under its name only, to be read only, and no part of the interface', async () => {
    const url = styleOf(await success());
    expect((await visit(`${server.url}/assets/visitor-0000000000000000.css`, { method: 'GET' })).status).toBe(
      404,
    );
    expect((await visit(`${server.url}/assets/`, { method: 'GET' })).status).toBe(404);
    for (const method of ['POST', 'PUT', 'DELETE']) expect((await visit(url, { method })).status).toBe(404);
    const { text } = await visit(`${server.url}/openapi.json`, { method: 'GET' });
    expect(text).not.toContain('/assets/');
  });

  it('comes from the base address, whatever host and path that has', async () => {
    const { publicId } = await makeForm(proxied.url);
    const answer = await visit(`${proxied.url}/f/${publicId}/success`, { method: 'GET' });
    expect(styleOf(answer)).toMatch(/^https:\/\/example\.com\/inlet\/assets\/visitor-[0-9a-f]{16}\.css$/);
    expect(answer.headers['content-security-policy']).toContain("style-src 'self' https://example.com;");
    const { pathname } = new URL(styleOf(answer));
    expect((await visit(proxied.url + pathname.slice('/inlet'.length), { method: 'GET' })).status).toBe(200);
  });
});

it('a plan without files says so', async () => {
  const { publicId } = await makeForm(proxied.url);
  const parts = [textPart('a', '1'), filePart('cv', 'cv.txt', 'my life')];
  const answer = await postMultipart(`${proxied.url}/f/${publicId}`, parts, page);
  expect([answer.status, headingOf(answer)]).toEqual([402, 'Files not accepted']);
  expect(answer.text).toContain('Send your message without them.');
});
