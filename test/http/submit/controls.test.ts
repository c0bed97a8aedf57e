/** Control fields: they control only what is safe, never become data, and their owner sees them. */
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, client, makeForm } from '../../support/client.js';
import { type MailServer, startMailServer } from '../../support/mail-server.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { browserAccept, postJson, postUrlencoded, visit } from '../../support/visitor.js';
import { becomes } from '../../support/webhooks.js';

let server: RunningServer;
let mails: MailServer;
let api: Client;
beforeAll(async () => {
  mails = await startMailServer();
  server = await startServer({
    env: { SMTP_URL: mails.url, MAIL_FROM: 'Inlet <inlet@forms.example.com>' },
  });
  api = client(server.url);
});
afterAll(async () => {
  await server.dispose();
  await mails.close();
});

const page = {
  accept: browserAccept,
  origin: 'https://example.com',
  referer: 'https://example.com/contact/',
};
const form = (fields: Readonly<Record<string, string>>): string => new URLSearchParams(fields).toString();

describe('a redirect', () => {
  const listed = () => makeForm(server.url, { form: { allowed_origins: ['example.com', '*.example.org'] } });
  const rejections = async (formId: string): Promise<readonly string[]> => {
    const report = await api.get(`/api/v1/forms/${formId}/rejections`);
    return report.body.examples.map(({ reason, seen }: Record<string, string>) => `${reason}: ${seen}`);
  };

  it.each([
    ['_next', 'https://example.com/thanks', 'https://example.com/thanks?'],
    ['_redirect', 'http://deep.example.org:8080/a?b=c#d', 'http://deep.example.org:8080/a?b=c&'],
    ['_next', '/thanks', 'https://example.com/thanks?'],
    ['_next', ' https://example.com/ä ', 'https://example.com/%C3%A4?'],
  ])('through %s to %s is followed', async (name, target, beginning) => {
    const { endpoint } = await listed();
    const { status, headers } = await postUrlencoded(endpoint, form({ a: '1', [name]: target }), page);
    expect(status).toBe(303);
    expect(headers.location?.startsWith(`${beginning}submission_id=`)).toBe(true);
  });

  it.each([
    'https://evil.test/',
    '//evil.test/',
    'https:evil.test',
    'https://example.com@evil.test/',
    'https://you@example.com/',
    'https://example.com.evil.test/',
    'https://evil.test\\@example.com/',
    'https://example.com\\.evil.test/',
    '/\\evil.test',
    'javascript:alert(1)//example.com',
    'data:text/html,example.com',
    'ftp://example.com/',
    'https://exa\tmple.com/',
    'https://example.com/\r\nSet-Cookie: a=b',
    'example.com/thanks',
    `https://example.com/${'x'.repeat(2_048)}`,
    `/${'"'.repeat(1_000)}`,
    'thanks',
    '',
  ])('to %j is not', async (target) => {
    const { endpoint, publicId } = await listed();
    for (const name of ['_next', '_redirect']) {
      const answer = await postUrlencoded(endpoint, form({ a: '1', [name]: target }), page);
      expect(answer.status).toBe(303);
      expect(answer.headers.location).toMatch(
        new RegExp(`^${server.url}/f/${publicId}/success\\?submission_id=`),
      );
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
  });

  it('that is not followed is recorded for the owner', async () => {
    const { endpoint, formId } = await listed();
    await postUrlencoded(endpoint, form({ a: '1', _next: 'https://evil.test/\u202e' }), page);
    await postUrlencoded(endpoint, form({ a: '1' }), { ...page, origin: 'https://other.test' });
    const seen = await becomes(
      () => rejections(formId),
      (all) => all.some((text) => text.startsWith('origin: ')),
    );
    expect(seen).toContain('redirect: a redirect to https://evil.test/\\u{202e}');
  });

  it('needs a list of allowed origins, and comes before the one of the form', async () => {
    const open = await makeForm(server.url, { form: { success_redirect: 'https://example.com/ours' } });
    const body = form({ a: '1', _next: 'https://example.com/theirs' });
    expect((await postUrlencoded(open.endpoint, body, page)).headers.location).toMatch(
      /^https:\/\/example\.com\/ours\?/,
    );
    await api.patch(`/api/v1/forms/${open.formId}`, { allowed_origins: ['example.com'] });
    expect((await postUrlencoded(open.endpoint, body, page)).headers.location).toMatch(
      /^https:\/\/example\.com\/theirs\?/,
    );
  });

  it('without parameters is a header all the same', async () => {
    const { endpoint } = await makeForm(server.url, {
      form: { success_redirect: 'https://example.com/谢谢' },
    });
    const { status, headers } = await postUrlencoded(endpoint, form({ a: '1', _append: 'false' }), page);
    expect([status, headers.location]).toEqual([303, 'https://example.com/%E8%B0%A2%E8%B0%A2']);
  });

  it.each([
    ['Web3Forms', 'access_key', 'redirect'],
    ['StaticForms', 'apiKey', 'redirectTo'],
  ])('of %s is held to the same rule', async (_, key, name) => {
    const { publicId } = await listed();
    const send = async (target: string) => {
      const body = form({ [key]: publicId, [name]: target, a: '1' });
      return (await postUrlencoded(`${server.url}/submit`, body, page)).headers.location;
    };
    expect(await send('https://example.com/yes')).toMatch(/^https:\/\/example\.com\/yes\?/);
    expect(await send('https://evil.test/')).toMatch(new RegExp(`^${server.url}/f/`));
  });

  it('is `next` for the clients of Formspree, if it is allowed', async () => {
    const { endpoint, publicId } = await listed();
    const next = async (target: string) => {
      const answer = await visit(endpoint, {
        headers: { 'content-type': 'application/json', 'formspree-client': 'x', origin: page.origin },
        body: JSON.stringify({ a: 1, _next: target }),
        isForeign: true,
      });
      return answer.body.next;
    };
    expect(await next('https://example.com/yes')).toBe('https://example.com/yes');
    expect(await next('https://evil.test/')).toBe(`${server.url}/f/${publicId}/success`);
  });
});

describe('the page', () => {
  const site = { accept: browserAccept, origin: 'https://example.com', referer: 'https://example.com/' };
  const cameFrom = async (submissionId: string): Promise<string> =>
    (await api.get(`/api/v1/submissions/${submissionId}`)).body.metadata.submitted_from;
  const sendFrom = async (named: string, headers: Readonly<Record<string, string>>): Promise<string> => {
    const { endpoint } = await makeForm(server.url);
    return cameFrom((await postJson(endpoint, { a: 1, _page: named }, headers)).body.submission_id);
  };

  it.each([
    ['https://example.com/contact?from=menu#form', 'https://example.com/contact?from=menu'],
    ['/contact', 'https://example.com/contact'],
    ['https://EXAMPLE.com:443/ä', 'https://example.com/%C3%A4'],
  ])('%s is where the submission came from', async (named, expected) => {
    expect(await sendFrom(named, { origin: site.origin })).toBe(expected);
    expect(await sendFrom(named, { referer: site.referer })).toBe(expected);
    expect(await sendFrom(named, { origin: 'null', referer: site.referer })).toBe(expected);
  });

  it.each([
    'https://evil.test/',
    'http://example.com/',
    'https://example.com:8443/',
    '//evil.test/',
    '/\\evil.test',
    'https://you@example.com/',
    'javascript:alert(1)',
    'contact',
    `https://example.com/${'x'.repeat(2_048)}`,
    '',
  ])('%.40j is not believed', async (named) => {
    expect(await sendFrom(named, { origin: site.origin })).toBe('https://example.com');
    expect(await sendFrom(named, {})).toBe('');
  });

  it('is neither data nor shown as a control field', async () => {
    const { endpoint } = await makeForm(server.url);
    const { body } = await postJson(endpoint, { a: 1, _page: '/contact' }, { origin: site.origin });
    const { body: shown } = await api.get(`/api/v1/submissions/${body.submission_id}`);
    expect(shown.data).toEqual({ a: 1 });
    expect(shown.metadata).not.toHaveProperty('control_fields');
  });

  const linkIn = (text: string): string | undefined => /<a href="([^"]*)"/.exec(text)?.[1];

  it('is where the thank-you page leads back to', async () => {
    const { endpoint } = await makeForm(server.url);
    const fields = { a: '1', _page: 'https://example.com/contact?x=1&y=2#form', _language: 'de' };
    const { headers } = await postUrlencoded(endpoint, form(fields), site);
    const thanks = await visit(headers.location ?? '', { method: 'GET', headers: site });
    expect(linkIn(thanks.text)).toBe('https://example.com/contact?x=1&amp;y=2');
    expect(thanks.text).toContain('Zurück zur Seite');
    // The website is the one in the Referer; a made-up link leads to no other.
    const elsewhere = await visit(headers.location ?? '', {
      method: 'GET',
      headers: { ...site, referer: 'https://example.org/' },
    });
    expect(linkIn(elsewhere.text)).toBe('https://example.org/contact?x=1&amp;y=2');
    const unknown = await visit(headers.location ?? '', { method: 'GET' });
    expect(linkIn(unknown.text)).toBeUndefined();
    const madeUp = `${endpoint}/success?page=${encodeURIComponent('https://evil.test/')}`;
    const visited = await visit(madeUp, { method: 'GET', headers: site });
    expect(linkIn(visited.text)).toBe('https://example.com/');
  });

  it('is left out of an address that would get too long', async () => {
    const { endpoint, publicId } = await makeForm(server.url);
    const { headers } = await postUrlencoded(
      endpoint,
      form({ a: '1', _page: `/${'x'.repeat(1_025)}` }),
      site,
    );
    expect(headers.location).toMatch(new RegExp(`^${server.url}/f/${publicId}/success\\?submission_id=`));
  });

  it('is where an error page leads to', async () => {
    const { endpoint } = await makeForm(server.url, { form: { captcha_enabled: true } });
    const refused = await postUrlencoded(endpoint, form({ a: '1', _page: '/contact' }), site);
    expect(refused.status).toBe(403);
    expect(linkIn(refused.text)).toBe('https://example.com/contact');
    expect(refused.text).toContain('Leave without sending');
  });
});

describe('the language', () => {
  it('is that of the page before that of the browser', async () => {
    const { endpoint, publicId } = await makeForm(server.url);
    const send = (language: string) =>
      postUrlencoded(endpoint, form({ a: '1', _language: language }), { ...page, 'accept-language': 'de' });
    const led = (await send('fr')).headers.location ?? '';
    expect(led).toMatch(new RegExp(`^${server.url}/f/${publicId}/success\\?language=fr&submission_id=`));
    const read = async (url: string) =>
      (await visit(url, { method: 'GET', headers: { 'accept-language': 'de' } })).headers['content-language'];
    expect(await read(led)).toBe('fr');
    for (const odd of [`${'a'.repeat(34)}😀`, '\u202efr', '..', ''])
      expect(await read((await send(odd)).headers.location ?? '')).toBe('de');
    const lone = await visit(`${server.url}/s/${publicId}`, {
      headers: { 'content-type': 'application/json' },
      body: '{"_language":"\\ud800"}',
      isForeign: true,
    });
    expect(lone.status).toBe(200);
    expect(await read((await send('tlh')).headers.location ?? '')).toBe('de');
    expect(await read((await send('x"><script>')).headers.location ?? '')).toBe('de');
  });
});

describe('the notification', () => {
  const send = async (
    settings: Record<string, unknown>,
    fields: Readonly<Record<string, unknown>>,
    to: string,
  ) => {
    const { endpoint } = await makeForm(server.url, { form: { name: 'Kontakt', ...settings } });
    const { body } = await postJson(endpoint, { name: 'Ada', ...fields });
    const sent = () => mails.mails.filter(({ raw }) => raw.includes(body.submission_id));
    await becomes(
      async () => sent(),
      (all) => all.some((mail) => mail.to.includes(to)),
    );
    return Promise.all(sent().map(async (mail) => ({ ...(await PostalMime.parse(mail.raw)), to: mail.to })));
  };

  it('has the subject and the address for replies that the page names', async () => {
    const [mail] = await send(
      { notify_emails: ['one@example.com'] },
      { email: 'ada@example.com', _subject: 'From %{formName}', _replyto: 'reply@example.com' },
      'one@example.com',
    );
    expect(mail?.subject).toBe('From Kontakt');
    expect(mail?.replyTo?.map(({ address }) => address)).toEqual(['reply@example.com']);
  });

  it('has a subject that no mail program decodes into something else', async () => {
    const [mail] = await send(
      { notify_emails: ['word@example.com'] },
      { _subject: '=?utf-8?B?4oCuZm9vDQpCY2M6IHg=?=' },
      'word@example.com',
    );
    expect(mail?.subject).toBe('= ?utf-8?B?4oCuZm9vDQpCY2M6IHg= ?=');
  });

  it('has no header and no reader that a visitor wrote', async () => {
    const [mail, ...others] = await send(
      { notify_emails: ['two@example.com'] },
      {
        _subject: 'Hi\r\nBcc: evil@evil.test\r\n\r\nbody',
        _replyto: 'a@evil.test, b@evil.test\r\nCc: c@evil.test',
        email: 'ada@example.com',
        _cc: 'evil@evil.test',
        _bcc: 'evil@evil.test',
      },
      'two@example.com',
    );
    expect(others).toEqual([]);
    expect(mail?.to).toEqual(['two@example.com']);
    expect(mail?.subject).toBe('Hi Bcc: evil@evil.test body');
    expect(mail?.replyTo?.map(({ address }) => address)).toEqual(['ada@example.com']);
    expect(mail?.headers.map(({ key }) => key)).not.toContain('bcc');
    expect(mail?.headers.map(({ key }) => key)).not.toContain('cc');
  });

  it('is copied to those that the form allows, once each, and to nobody else', async () => {
    const flood = Array.from({ length: 5_000 }, (_, i) => `x${i}@evil.test`);
    const all = await send(
      { notify_emails: ['three@example.com'], allowed_cc_emails: ['Copy@example.com', 'four@example.com'] },
      { _cc: ['copy@EXAMPLE.com', ' copy@example.com', 'three@example.com', ...flood] },
      'Copy@example.com',
    );
    expect(all.flatMap(({ to }) => to).sort()).toEqual(['Copy@example.com', 'three@example.com']);
  });
});

describe('the metadata', () => {
  it('shows what was sent, cut and bounded, and nothing of it is data', async () => {
    const { endpoint, formId } = await makeForm(server.url);
    const { body } = await postJson(endpoint, {
      _subject: 'x'.repeat(2_000),
      _template: 'table',
      _autoresponse: 'Thanks',
      _format: 'plain',
      _next: 'https://evil.test',
      _csrf: 'secret',
      _botpoison: 'token',
      'g-recaptcha-response': 'token',
      name: 'Ada',
    });
    const { body: shown } = await api.get(`/api/v1/submissions/${body.submission_id}`);
    expect(shown.data).toEqual({ name: 'Ada' });
    expect(shown.metadata.control_fields).toEqual({
      _subject: 'x'.repeat(1_000),
      _template: 'table',
      _autoresponse: 'Thanks',
      _format: 'plain',
      _next: 'https://evil.test',
    });
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`_feedback.${i}`, 'x']));
    const crowd = await postJson(endpoint, many);
    const { body: crowded } = await api.get(`/api/v1/submissions/${crowd.body.submission_id}`);
    expect(Object.keys(crowded.metadata.control_fields)).toHaveLength(50);
    expect((await api.get(`/api/v1/forms/${formId}/submissions`)).body.data[0].metadata).toEqual(
      crowded.metadata,
    );
  });

  it('goes along into the quarantine and out of it', async () => {
    const { endpoint, formId } = await makeForm(server.url);
    await postJson(endpoint, { name: 'Ada', _subject: 'Hi', _honey: 'x' });
    const { body: held } = await api.get(`/api/v1/forms/${formId}/spam`);
    expect(held.data).toMatchObject([{ data: { name: 'Ada' }, field: '_honey' }]);
    expect(held.data[0].metadata.control_fields).toEqual({ _subject: 'Hi' });
    const released = await api.post(`/api/v1/spam/${held.data[0].id}/release`);
    expect(released.body.metadata.control_fields).toEqual({ _subject: 'Hi' });
  });

  it.each(['_gotcha', '_honeypot', '_honey', '_trap', 'botcheck', 'bot-field'])(
    'tells a bot by %s',
    async (name) => {
      const { endpoint, formId } = await makeForm(server.url);
      const { status } = await postUrlencoded(endpoint, form({ name: 'Ada', [name]: 'x' }));
      expect(status).toBe(303);
      const { body } = await api.get(`/api/v1/forms/${formId}/spam`);
      expect(body.data).toMatchObject([{ data: { name: 'Ada' }, field: name }]);
    },
  );
});
