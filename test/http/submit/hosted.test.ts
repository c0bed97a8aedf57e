/** GET /f/{public_id} with `hosted_page` on: the form on its own page. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, client, type MadeForm, makeForm, submitJson } from '../../support/client.js';
import { expectFaults } from '../../support/contract.js';
import { everyField } from '../../support/every-field.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { browserAccept, postUrlencoded, type VisitorAnswer, visit } from '../../support/visitor.js';

let server: RunningServer;
let api: Client;
beforeAll(async () => {
  server = await startServer();
  api = client(server.url);
});
afterAll(() => server.dispose());

const page = { accept: browserAccept };
const hosted = (settings: Record<string, unknown> = {}): Promise<MadeForm> =>
  makeForm(server.url, { form: { hosted_page: true, fields: everyField, ...settings } });
const open = (
  form: MadeForm,
  query = '',
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<VisitorAnswer> => visit(`${form.endpoint}${query}`, { method, headers: { ...page, ...headers } });
const change = (form: MadeForm, settings: Record<string, unknown>) =>
  api.patch(`/api/v1/forms/${form.formId}`, settings);
const headingOf = ({ text }: VisitorAnswer): string =>
  /<h1>(?:<bdi>)?([^<]*)(?:<\/bdi>)?<\/h1>/.exec(text)?.[1] ?? '';
/** The tag with this id. */
const tagOf = ({ text }: VisitorAnswer, id: string): string =>
  new RegExp(`<[a-z]+ id="${id}"[^>]*>`).exec(text)?.[0] ?? '';
const policyOf = ({ headers }: VisitorAnswer): Record<string, string> =>
  Object.fromEntries(
    String(headers['content-security-policy'])
      .split('; ')
      .map((directive) => {
        const [name = '', ...sources] = directive.split(' ');
        return [name, sources.join(' ')];
      }),
  );
const small = [{ name: 'note', type: 'text' }];

describe('without the setting', () => {
  it('an address shows no page, whether it is that of a form or not', async () => {
    const form = await makeForm(server.url, { form: { fields: everyField } });
    for (const url of [form.endpoint, `${server.url}/f/nosuchform`]) {
      const answer = await visit(url, { method: 'GET', headers: page });
      expect([answer.status, answer.headers.allow, headingOf(answer)]).toEqual([
        405,
        'POST, OPTIONS',
        'Nothing to see here',
      ]);
      const json = await visit(url, { method: 'GET' });
      expect(json.body).toEqual({ error: 'Method not allowed', code: 'method_not_allowed' });
      expect(json.headers['access-control-allow-origin']).toBe('*');
    }
  });

  it('is shown once the setting is on, and gone when it is off again', async () => {
    const form = await makeForm(server.url, { form: { fields: small } });
    await change(form, { hosted_page: true });
    expect((await open(form)).status).toBe(200);
    await change(form, { hosted_page: false });
    expect((await open(form)).status).toBe(405);
  });

  it.each([
    ['hosted_page', 'yes'],
    ['hosted_page_title', ' '],
    ['hosted_page_title', 'x'.repeat(101)],
    ['hosted_page_text', 'x'.repeat(1_001)],
    ['hosted_page_indexed', null],
  ])('%s cannot be %j', async (name, value) => {
    expectFaults(await change(await makeForm(server.url), { [name]: value }), [name]);
  });
});

describe('the page', () => {
  it('has headers that allow what it needs and nothing else', async () => {
    const answer = await open(await hosted());
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-language': 'en',
      vary: 'Accept-Language',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
      'referrer-policy': 'strict-origin-when-cross-origin',
      'content-security-policy':
        `default-src 'none'; script-src ${server.url}/inlet.js ${server.url}/inlet-embed.js; ` +
        `style-src 'self' ${server.url}; connect-src ${server.url}/f/; base-uri 'none'; ` +
        `form-action ${server.url}; frame-ancestors *`,
    });
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    expect(answer.text).toContain('<meta name="robots" content="noindex">');
    expect(answer.text).not.toMatch(/<style|style=|<script>/);
  });

  it('responds to HEAD with the same head', async () => {
    const form = await hosted();
    const [head, get] = await Promise.all([open(form, '', {}, 'HEAD'), open(form)]);
    expect([head.status, head.text, head.headers['content-length']]).toEqual([
      200,
      '',
      get.headers['content-length'],
    ]);
  });

  it('is found under an alias of the form', async () => {
    const form = await hosted();
    await api.post(`/api/v1/forms/${form.formId}/aliases`, { alias: 'our-contact-form' });
    const answer = await visit(`${server.url}/f/our-contact-form`, { method: 'GET' });
    expect(answer.text).toContain(`action="${form.endpoint}"`);
  });

  it('may be listed by search engines if the owner wants it', async () => {
    const answer = await open(await hosted({ hosted_page_indexed: true }));
    expect(answer.headers).not.toHaveProperty('x-robots-tag');
    expect(answer.text).not.toContain('noindex');
  });

  it('has the words, the colour and the logo of the owner, as text', async () => {
    const form = await hosted({ name: 'Plain <name>' });
    expect(headingOf(await open(form))).toBe('Plain &lt;name&gt;');
    await change(form, {
      hosted_page_title: '<b>Talk</b> to us',
      hosted_page_text: 'Two "lines"\n<script>alert(1)</script>',
      page_color: '#123456',
      page_logo_url: 'https://cdn.example.com/logo.png',
    });
    const answer = await open(form);
    expect(headingOf(answer)).toBe('&lt;b&gt;Talk&lt;/b&gt; to us');
    expect(answer.text).toContain('Two &quot;lines&quot;\n&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(answer.text).toContain('<style>:root{--ground:#123456;--on:#fff}</style>');
    expect(answer.text).toContain('<img src="https://cdn.example.com/logo.png" alt="">');
    expect(policyOf(answer)).toMatchObject({
      'img-src': 'https://cdn.example.com',
      'style-src': expect.stringMatching(/'sha256-[\w+/=]+'$/),
    });
  });

  it('has an input for each rule, with its constraints', async () => {
    const answer = await open(await hosted());
    const wanted = [
      'type="text" maxlength="100" required',
      'type="email" placeholder="you@example.com" autocomplete="email" required aria-describedby="i1-help"',
      'type="radio" value="A question" required',
      'select id="i3" name="country"',
      'type="checkbox" value="Design"',
      'type="url" autocomplete="url"',
      'type="tel" autocomplete="tel"',
      'type="number" min="0.5" step="any" max="100000"',
      'type="number" min="1" step="1"',
      'type="date"',
      'type="time"',
      'textarea id="i11" name="message" rows="5" minlength="10" required',
      'type="file" accept=".pdf,image/*" multiple aria-describedby="i12-help"',
      'type="checkbox" value="yes" required',
      'type="hidden" name="campaign" value=""',
    ];
    for (const [place, part] of wanted.entries()) expect(tagOf(answer, `i${place}`)).toContain(part);
    expect(answer.text).toContain('method="post" enctype="multipart/form-data"');
    expect(answer.text).toContain('name="_gotcha"');
    expect(answer.text).toContain(`name="_page" value="${/action="([^"]*)"/.exec(answer.text)?.[1]}"`);
    expect(answer.text).toContain('Up to 5 MB.');
  });

  it('weighs less than 15 kB with its stylesheet, with a field of every type', async () => {
    const answer = await open(await hosted({ hosted_page_text: 'x'.repeat(1_000), page_color: '#123456' }));
    const [, address = ''] = /<link rel="stylesheet" href="([^"]*)">/.exec(answer.text) ?? [];
    const style = await visit(address, { method: 'GET' });
    expect(style.headers).toMatchObject({
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    const weight = Buffer.byteLength(answer.text) + Buffer.byteLength(style.text);
    expect(weight).toBeGreaterThan(5_000);
    expect(weight).toBeLessThan(15_000);
  });

  it.each([
    ['en', 'en', 'Send', 'optional'],
    ['de-AT', 'de', 'Senden', 'freiwillig'],
    ['fr', 'fr', 'Envoyer', 'facultatif'],
    ['es-MX', 'es', 'Enviar', 'opcional'],
    ['zh-CN', 'zh-Hans', '发送', '选填'],
    ['nl', 'en', 'Send', 'optional'],
  ])('is read in %s', async (asked, tag, send, optional) => {
    const form = await hosted();
    for (const answer of [
      await open(form, '', { 'accept-language': asked }),
      await open(form, `?_language=${asked}`, { 'accept-language': 'en' }),
    ]) {
      expect(answer.headers['content-language']).toBe(tag);
      expect(answer.text).toContain(`<html lang="${tag}">`);
      expect(answer.text).toContain(`<button type="submit">${send}</button>`);
      expect(answer.text).toContain(`<span class="optional">${optional}</span>`);
      expect(answer.text).toContain('<bdi>Your name</bdi>');
    }
  });

  it('keeps the language that it was asked for with the form', async () => {
    const form = await hosted();
    expect((await open(form, '?_language=fr')).text).toContain('name="_language" value="fr"');
    expect((await open(form, '', { 'accept-language': 'fr' })).text).not.toContain('_language');
  });
});

describe('a CAPTCHA on the page', () => {
  it.each([
    ['turnstile', 'cf-turnstile', 'https://challenges.cloudflare.com', 'https://challenges.cloudflare.com'],
    ['hcaptcha', 'h-captcha', 'https://*.hcaptcha.com', 'https://hcaptcha.com https://*.hcaptcha.com'],
    [
      'recaptcha',
      'g-recaptcha',
      'https://www.gstatic.com/recaptcha/',
      'https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/',
    ],
  ])('of %s is its widget', async (provider, mark, source, frames) => {
    const form = await hosted({
      captcha_enabled: true,
      captcha_provider: provider,
      captcha_site_key: 'key"><script>',
      captcha_secret_key: 'secret',
    });
    const answer = await open(form, '?_language=de');
    expect(answer.text).toContain(`<div class="${mark}" data-sitekey="key&quot;&gt;&lt;script&gt;"`);
    expect(answer.text).toMatch(/<script src="https:\/\/[^"]*api\.js\?hl=de" async defer>/);
    expect(answer.text).toContain('<noscript>');
    expect(answer.text).not.toContain('secret');
    const policy = policyOf(answer);
    expect(policy['frame-src']).toBe(frames);
    expect(policy['script-src']).toContain(source);
  });

  it('of ours is solved by the script', async () => {
    const answer = await open(await hosted({ captcha_enabled: true }));
    expect(answer.text).toContain(' data-challenge');
    expect(answer.text).toContain('<noscript>');
    expect(policyOf(answer)).toMatchObject({
      'script-src': `${server.url}/inlet.js ${server.url}/inlet-embed.js ${server.url}/inlet-solver.js`,
      'connect-src': `${server.url}/f/ ${server.url}/inlet-solver.js`,
      'worker-src': 'blob:',
    });
  });
});

describe('who may show it in a frame', () => {
  it('are the allowed origins of the form, else of its project', async () => {
    const form = await hosted({ allowed_origins: ['example.com', '*.example.org', '::1'] });
    expect(policyOf(await open(form))['frame-ancestors']).toBe(
      "'self' http://example.com:* http://*.example.org:*",
    );
    const other = await makeForm(server.url, {
      project: { allowed_origins: ['example.net'] },
      form: { hosted_page: true, fields: small },
    });
    expect(policyOf(await open(other))['frame-ancestors']).toBe("'self' http://example.net:*");
  });

  it('is of a list too long for a header only the website that asks', async () => {
    const origins = Array.from({ length: 100 }, (_, i) => `${'long'.repeat(10)}${i}.example.com`);
    const form = await hosted({ allowed_origins: origins });
    const [first] = origins;
    for (const [referer, allowed] of [
      [`https://${first}/page`, `'self' http://${first}:*`],
      ['https://example.net/', "'self'"],
    ] as const)
      expect(policyOf(await open(form, '', { referer }))['frame-ancestors']).toBe(allowed);
  });
});

describe('what the address fills in', () => {
  it('are declared fields, chosen options and checked boxes, never a file', async () => {
    const answer = await open(
      await hosted(),
      '?name=Ada&country=Spain&topic=A+quote&interests=Design&interests=Hosting&terms=on&files=x.pdf&message=%0AHi&campaign=spring&other=no',
    );
    expect(tagOf(answer, 'i0')).toContain('value="Ada"');
    expect(answer.text).toContain('<option value="Spain" selected>');
    expect(answer.text).toContain('value="A quote" checked');
    expect(answer.text.match(/ checked/g)).toHaveLength(4);
    expect(answer.text).toContain('>\n\nHi</textarea>');
    expect(tagOf(answer, 'i12')).not.toContain('value');
    expect(tagOf(answer, 'i14')).toContain('value="spring"');
    expect(answer.text).not.toMatch(/other|x\.pdf/);
  });

  it('is only text, however hostile', async () => {
    const form = await makeForm(server.url, {
      form: {
        hosted_page: true,
        fields: [...small, { name: 'long', type: 'textarea' }, { name: '__proto__', type: 'text' }],
      },
    });
    const hostile = encodeURIComponent(`"><script>alert('1')</script></textarea>`);
    const marked = await open(form, `?note=${hostile}&long=${hostile}&__proto__=a&constructor=b&toString=c`);
    expect(marked.text).not.toContain('<script>alert');
    expect(tagOf(marked, 'i0')).toContain(
      'value="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&lt;/textarea&gt;"',
    );
    expect(tagOf(marked, 'i2')).toContain('name="__proto__" type="text" value="a"');
    const twice = await open(form, '?note=first&note=second');
    expect(tagOf(twice, 'i0')).toContain('value="first"');
    const controls = await open(form, '?note=a%00b%1B%7F%C2%85c%ED%A0%80&long=a%09b%0D%0Ac');
    expect(tagOf(controls, 'i0')).toMatch(/value="abc\ufffd+"/);
    expect(controls.text).toContain('>\na\tb\r\nc</textarea>');
    expect((await open(form, '?note=%E0%A4%A&note=%')).status).toBe(200);
  });

  it('is bounded', async () => {
    const form = await makeForm(server.url, { form: { hosted_page: true, fields: small } });
    expect(tagOf(await open(form, `?note=${'a'.repeat(5_000)}`), 'i0')).toContain(`"${'a'.repeat(2_000)}"`);
    expect(tagOf(await open(form, `?note=${'a'.repeat(9_000)}`), 'i0')).not.toContain('value');
    expect((await visit(`${form.endpoint}?note=${'a'.repeat(2 ** 20)}`, { method: 'GET' })).status).toBe(431);
  });

  it('shows no value that a choice does not have', async () => {
    const answer = await open(await hosted(), '?country=Atlantis&topic=War&interests=Peace&terms=maybe');
    expect(answer.text).not.toMatch(/Atlantis|War|Peace|maybe| checked| selected/);
  });
});

describe('a form that accepts nothing', () => {
  const past = '2020-01-01T00:00:00.000Z';
  it.each([
    ['is not active', { is_active: false }, 'This form is closed'],
    ['is archived', { is_archived: true }, 'This form is closed'],
    ['has closed', { closes_at: past }, 'This form is closed'],
    ['is not open yet', { opens_at: '2099-03-01T09:30:00.000Z' }, 'This form is not open yet'],
  ])('says so when it %s', async (_, settings, heading) => {
    const answer = await open(await hosted(settings));
    expect([answer.status, headingOf(answer)]).toEqual([403, heading]);
    expect(answer.text).not.toContain('<form');
  });

  it.each([
    ['en', /It opens on March 1, 2099.* 9:30 AM UTC\./],
    ['de', /Es öffnet am 1\. März 2099.* 09:30 UTC\./],
    ['fr', /Il ouvrira le 1 mars 2099.* 09:30 UTC\./],
    ['es', /Se abrirá el 1 de marzo de 2099.* 9:30 UTC\./],
    ['zh', /开放时间：2099年3月1日.*09:30 UTC。/],
  ])('says in %s when it opens', async (language, sentence) => {
    const form = await hosted({ opens_at: '2099-03-01T09:30:00.000Z', is_active: true });
    // Node releases differ in spaces and in what precedes the time.
    const { text } = await open(form, '', { 'accept-language': language });
    expect(text.replace(/[\u202f\u00a0]/g, ' ')).toMatch(sentence);
  });

  it('says so while it is full', async () => {
    const form = await hosted({ fields: small, max_submissions: 1 });
    expect((await open(form)).status).toBe(200);
    expect((await submitJson(form.endpoint, { note: 'a' })).status).toBe(200);
    const full = await open(form);
    expect([full.status, headingOf(full)]).toEqual([403, 'This form is closed']);
    const { data } = (await api.get(`/api/v1/forms/${form.formId}/submissions`)).body;
    await api.delete(`/api/v1/submissions/${data[0].id}`);
    await expect.poll(async () => (await open(form)).status, { timeout: 30_000 }).toBe(200);
  });

  it.each([
    ['en', 'This form is not ready yet'],
    ['de', 'Dieses Formular ist noch nicht fertig'],
    ['fr', 'Ce formulaire n’est pas encore prêt'],
    ['es', 'Este formulario aún no está listo'],
    ['zh', '此表单尚未准备好'],
  ])('has no rules: it tells visitors in %s and its owner what to do', async (language, heading) => {
    const answer = await open(await hosted({ fields: [] }), '', { 'accept-language': language });
    expect([answer.status, headingOf(answer)]).toEqual([404, heading]);
    expect(answer.text).toContain('This form has no rules for its fields.');
  });
});

describe('what is sent from the page', () => {
  const from = (form: MadeForm) => ({ ...page, origin: server.url, referer: form.endpoint });
  const filled = 'name=Ada&email=ada%40example.com&topic=A+quote&message=Hello+there%2C+world&terms=yes';

  it('is accepted, whatever origins are allowed, and thanks', async () => {
    const form = await hosted({ allowed_origins: ['example.com'] });
    const answer = await postUrlencoded(form.endpoint, `${filled}&_page=${form.endpoint}`, from(form));
    expect([answer.status, String(answer.headers.location)]).toEqual([
      303,
      expect.stringMatching(/\/success\?/),
    ]);
    const { data } = (await api.get(`/api/v1/forms/${form.formId}/submissions`)).body;
    const stored = (await api.get(`/api/v1/submissions/${data[0].id}`)).body;
    expect(stored.metadata.submitted_from).toBe(form.endpoint);
    expect(stored.data).toMatchObject({ name: 'Ada', terms: 'yes' });
  });

  it('is accepted from exactly this origin, and only while the form has a page', async () => {
    const form = await hosted({ allowed_origins: ['example.com'] });
    const send = (headers: Record<string, string>) =>
      postUrlencoded(form.endpoint, filled, { accept: 'application/json', ...headers });
    const otherPort = server.url.replace(/:\d+$/, ':1');
    for (const origin of [otherPort, server.url.replace('http:', 'https:'), 'null', 'https://example.net'])
      expect([origin, (await send({ origin })).status]).toEqual([origin, 403]);
    expect((await send({ origin: server.url })).status).toBe(200);
    expect((await send({ referer: form.endpoint })).status).toBe(200);
    await change(form, { hosted_page: false });
    expect((await send({ origin: server.url })).body.code).toBe('origin_not_allowed');
  });

  it('gets its challenge, which a browser asks for without an Origin', async () => {
    const form = await hosted({ captcha_enabled: true, allowed_origins: ['example.com'] });
    const ask = (headers: Record<string, string>) =>
      visit(`${form.endpoint}/challenge`, { method: 'GET', headers });
    expect((await ask({ referer: form.endpoint })).status).toBe(200);
    expect((await ask({})).status).toBe(403);
  });

  it.each([
    ['en', 'Please check your entries', 'Please fill in this field.'],
    ['de', 'Bitte prüfen Sie Ihre Angaben', 'Bitte füllen Sie dieses Feld aus.'],
    ['fr', 'Veuillez vérifier votre saisie', 'Veuillez remplir ce champ.'],
    ['es', 'Revise los datos, por favor', 'Rellene este campo.'],
    ['zh', '请检查您填写的内容', '请填写此项。'],
  ])('shows in %s what is wrong at its input, and keeps what was typed', async (language, title, message) => {
    const form = await hosted();
    const answer = await postUrlencoded(
      form.endpoint,
      `name=&email=%22%3E%3Cb%3E&topic=A+quote&interests=Design&interests=Hosting&message=Hello+there%2C+world&terms=yes&country=Spain&budget=3&_language=${language}`,
      from(form),
    );
    expect(answer.status).toBe(422);
    expect(answer.headers['content-security-policy']).toContain('script-src');
    expect(answer.headers).toHaveProperty('x-ratelimit-limit');
    expect(answer.text).toContain(`<h2>${title}</h2>`);
    expect(answer.text).toContain(`<p class="wrong" id="i0-wrong" data-inlet-error="name">${message}</p>`);
    expect(tagOf(answer, 'i0')).toContain('aria-describedby="i0-wrong" aria-invalid="true"');
    expect(tagOf(answer, 'i1')).toContain('value="&quot;&gt;&lt;b&gt;"');
    expect(tagOf(answer, 'i1')).toContain('aria-describedby="i1-help i1-wrong"');
    expect(answer.text).toContain('<a href="#i0"><bdi>Your name</bdi></a>');
    expect(answer.text).toContain('>\nHello there, world</textarea>');
    expect(answer.text).toContain('<option value="Spain" selected>');
    expect(answer.text.match(/ checked/g)).toHaveLength(4);
    expect(tagOf(answer, 'i7')).toContain('value="3"');
    expect(answer.text).toContain('name="_language"');
    expect((await api.get(`/api/v1/forms/${form.formId}`)).body.submissions_count).toBe(0);
  });

  it('with an error is the list of errors on every other page, and JSON for programs', async () => {
    const form = await hosted();
    const elsewhere = await postUrlencoded(form.endpoint, 'name=', {
      ...page,
      origin: 'https://example.com',
    });
    expect([elsewhere.status, headingOf(elsewhere)]).toEqual([422, 'Please check your entries']);
    expect(elsewhere.text).not.toContain('<form');
    const json = await postUrlencoded(form.endpoint, 'name=', {
      ...from(form),
      accept: 'application/json',
    });
    expect(json.body.code).toBe('invalid_fields');
  });

  it('may lead to the page of the owner, which the policy allows then', async () => {
    const form = await hosted({ success_redirect: 'https://example.com/thanks' });
    const answer = await open(form);
    expect(policyOf(answer)['form-action']).toBe(`${server.url} http:`);
    expect(answer.text).not.toContain('data-success');
    const sent = await postUrlencoded(form.endpoint, filled, from(form));
    expect(sent.headers.location).toMatch(/^https:\/\/example\.com\/thanks\?/);
  });

  it('without one thanks in the words of the owner', async () => {
    const { text } = await open(await hosted({ page_title: 'Got "it"', page_text: 'We write back.' }));
    expect(text).toContain('data-success="Got &quot;it&quot;\nWe write back." data-hide-on-success');
  });
});
