/** What the plan allows, what the honeypot catches, what the CAPTCHA stops. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filePart, textPart } from '../../support/bodies.js';
import { client, type MadeForm, makeForm } from '../../support/client.js';
import { kept, keptFiles } from '../../support/kept.js';
import { type RunningServer, startServer } from '../../support/server.js';
import {
  browserAccept,
  postJson,
  postMultipart,
  postUrlencoded,
  type VisitorAnswer,
} from '../../support/visitor.js';

const json = { accept: 'application/json' };
const file = filePart('cv', 'cv.txt', 'my life', 'text/plain');

let server: RunningServer;
let starter: RunningServer;

beforeAll(async () => {
  // Nothing listens on port 1: tests contact no outside server.
  const env = { TURNSTILE_VERIFY_URL: 'http://127.0.0.1:1/siteverify' };
  [server, starter] = await Promise.all([
    startServer({ env }),
    startServer({ env: { DEFAULT_PLAN: 'starter' } }),
  ]);
});
afterAll(() => Promise.all([server.dispose(), starter.dispose()]));

const count = async (on: RunningServer, form: MadeForm): Promise<number> =>
  (await client(on.url).get(`/api/v1/forms/${form.formId}`)).body.submissions_count;

describe('the starter plan', () => {
  let form: MadeForm;
  beforeAll(async () => {
    form = await makeForm(starter.url);
  });

  it('takes no files: 402 with the way to an upgrade, and nothing is stored', async () => {
    const answer = await postMultipart(form.endpoint, [textPart('a', '1'), file], json);
    expect(answer.status).toBe(402);
    expect(answer.body).toEqual({
      error: 'File uploads require a paid plan',
      code: 'file_uploads_not_in_plan',
      upgrade_url: `${starter.url}/dashboard/plan`,
    });
    expect(await kept(starter, form.formId)).toEqual({ submissions: 0, files: 0 });
  });

  it('tells a browser on a page', async () => {
    const answer = await postMultipart(form.endpoint, [file], { accept: browserAccept });
    expect(answer.status).toBe(402);
    expect(answer.text).toContain('File uploads require a paid plan');
  });

  it('takes multipart without files, and with a file input left empty', async () => {
    const empty = filePart('cv', '', '', 'application/octet-stream');
    expect((await postMultipart(form.endpoint, [textPart('a', '1')], json)).status).toBe(200);
    expect((await postMultipart(form.endpoint, [textPart('a', '1'), empty], json)).status).toBe(200);
    expect((await kept(starter, form.formId)).files).toBe(0);
  });

  it('is asked after the limits and the honeypot, and before the CAPTCHA', async () => {
    const own = await makeForm(starter.url, { form: { captcha_enabled: true } });
    const trapped = await postMultipart(own.endpoint, [textPart('_gotcha', 'bot'), file], json);
    expect(trapped.status).toBe(200);
    expect((await postMultipart(own.endpoint, [file], json)).status).toBe(402);
    const many = Array.from({ length: 11 }, (_, i) => filePart(`f${i}`, 'f.txt', 'x'));
    expect((await postMultipart(own.endpoint, many, json)).status).toBe(413);
    expect(await kept(starter, own.formId)).toEqual({ submissions: 0, files: 0 });
  });

  it('names the operator’s own UPGRADE_URL', async () => {
    const env = { DEFAULT_PLAN: 'starter', UPGRADE_URL: 'https://example.com/upgrade' };
    const own = await startServer({ env });
    try {
      const { endpoint } = await makeForm(own.url);
      const answer = await postMultipart(endpoint, [file], json);
      expect(answer.body.upgrade_url).toBe('https://example.com/upgrade');
    } finally {
      await own.dispose();
    }
  });
});

describe('the honeypot', () => {
  /** A response without what naturally differs between two requests. */
  const shapeOf = ({ status, headers, text }: VisitorAnswer): unknown => ({
    status,
    headers: Object.entries(headers)
      .map(([name, value]) =>
        ['date', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-request-id'].includes(name)
          ? name
          : `${name}: ${value}`,
      )
      .map((line) => line.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')),
    text: text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID'),
  });

  it.each(['_gotcha', '_honeypot'])('%s responds exactly as success does, in every format', async (name) => {
    const form = await makeForm(server.url);
    const origin = { origin: 'https://example.com' };
    const good = [
      await postJson(form.endpoint, { a: 'bot' }, origin),
      await postUrlencoded(form.endpoint, 'a=bot', origin),
      await postUrlencoded(form.endpoint, 'a=bot', json),
      await postMultipart(form.endpoint, [textPart('a', 'bot'), file], json),
      await postMultipart(form.endpoint, [textPart('a', 'bot'), file], { accept: browserAccept }),
    ];
    const before = await kept(server, form.formId);
    expect(before).toEqual({ submissions: 5, files: (await keptFiles(server)).length });
    const trapped = [
      await postJson(form.endpoint, { a: 'x', [name]: 'bot' }, origin),
      await postUrlencoded(form.endpoint, `a=x&${name}=bot`, origin),
      await postUrlencoded(form.endpoint, `a=x&${name}=bot`, json),
      await postMultipart(form.endpoint, [textPart(name, 'bot'), file], json),
      await postMultipart(form.endpoint, [file, textPart(name, 'bot')], { accept: browserAccept }),
    ];
    expect(trapped.map(shapeOf)).toEqual(good.map(shapeOf));
    expect(await kept(server, form.formId)).toEqual(before);
    expect(await count(server, form)).toBe(5);
  });

  it('gives a fresh id each time, which is no submission', async () => {
    const form = await makeForm(server.url);
    const answers = [
      await postJson(form.endpoint, { _gotcha: 'bot' }),
      await postJson(form.endpoint, { _gotcha: 'bot' }),
    ];
    const ids = answers.map((answer) => answer.body.submission_id);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) {
      expect((await client(server.url).get(`/api/v1/submissions/${id}`)).status).toBe(404);
    }
  });

  it('swallows any value that a script may put there, also as a list', async () => {
    const form = await makeForm(server.url);
    for (const value of ['"x"', '1', 'true', '["x"]', '{"a":1}', '0']) {
      expect((await postJson(form.endpoint, `{"a":1,"_gotcha":${value}}`)).status).toBe(200);
    }
    expect((await postUrlencoded(form.endpoint, '_gotcha=&_gotcha=x', json)).status).toBe(200);
    expect((await postUrlencoded(form.endpoint, '_gotcha[]=x', json)).status).toBe(200);
    expect((await kept(server, form.formId)).submissions).toBe(0);
  });

  it('counts against the rate like a success', async () => {
    const form = await makeForm(server.url, { project: { rate_limit_per_minute: 1 } });
    expect((await postJson(form.endpoint, { _gotcha: 'bot' })).headers['x-ratelimit-remaining']).toBe('0');
    expect((await postJson(form.endpoint, { _gotcha: 'bot' })).status).toBe(429);
  });
});

describe('the CAPTCHA', () => {
  it('refuses a submission without a token, and leaves no file', async () => {
    const form = await makeForm(server.url, { form: { captcha_enabled: true } });
    const before = await keptFiles(server);
    const refusal = { error: 'CAPTCHA verification failed', code: 'captcha_failed' };
    const answers = [
      await postJson(form.endpoint, { a: 1 }),
      await postJson(form.endpoint, { a: 1, _challengeToken: '' }),
      await postUrlencoded(form.endpoint, 'a=1&challenge-response=', json),
      await postMultipart(form.endpoint, [file], json),
    ];
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([403, refusal]);
    expect(await kept(server, form.formId)).toEqual({ submissions: 0, files: before.length });
  });

  it('that nobody can check is no pass: 503 with Retry-After, nothing stored', async () => {
    const form = await makeForm(server.url, {
      form: { captcha_enabled: true, captcha_provider: 'turnstile', captcha_secret_key: 'secret' },
    });
    const before = await keptFiles(server);
    const answers = [
      await postJson(form.endpoint, { a: 1, _challengeToken: 'token' }),
      await postUrlencoded(form.endpoint, 'a=1&challenge-response=token', json),
      await postMultipart(form.endpoint, [textPart('challenge-response', 'token'), file], json),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(503);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(answer.body.error).toEqual(expect.stringMatching(/\S/));
    }
    expect(await kept(server, form.formId)).toEqual({ submissions: 0, files: before.length });
  });

  it('asks nothing of a form that has it switched off', async () => {
    const form = await makeForm(server.url);
    expect((await postJson(form.endpoint, { a: 1, _challengeToken: 'whatever' })).status).toBe(200);
  });
});

describe('what the operator sees', () => {
  it('counts a honeypot hit apart from what was accepted', async () => {
    const own = await startServer();
    try {
      const form = await makeForm(own.url);
      await postJson(form.endpoint, { a: 1 });
      await postJson(form.endpoint, { a: 1, _gotcha: 'bot' });
      const metrics = await (await fetch(`${own.url}/metrics`)).text();
      expect(metrics).toContain('inlet_submissions_total{outcome="accepted"} 1');
      expect(metrics).toContain('inlet_submissions_total{outcome="honeypot"} 1');
    } finally {
      await own.dispose();
    }
  });

  it('finds each answer in the log at the level debug, without the data', async () => {
    const own = await startServer({ env: { LOG_LEVEL: 'debug' } });
    try {
      const form = await makeForm(own.url);
      await postJson(form.endpoint, { secretive: 'lovelace' });
      await postUrlencoded(`${own.url}/f/nosuchform`, 'a=1');
      // The response may arrive before its log line.
      await expect.poll(own.output).toContain(`"form":"${form.publicId}","outcome":"accepted"`);
      await expect.poll(own.output).toContain('"form":"nosuchform","outcome":"form_not_found"');
      expect(own.output()).not.toContain('lovelace');
    } finally {
      await own.dispose();
    }
  });
});

describe('wait_for_webhook', () => {
  it('says pending in the redirect while nothing is delivered, and nothing when it is off', async () => {
    const waiting = await makeForm(server.url, { form: { wait_for_webhook: true } });
    const plain = await makeForm(server.url);
    const location = async (form: MadeForm) =>
      new URL(String((await postUrlencoded(form.endpoint, 'a=1')).headers.location)).searchParams.get(
        'webhook',
      );
    expect([await location(waiting), await location(plain)]).toEqual(['pending', null]);
  });
});
