/** The submission rate limit: per address and project, in fixed windows of a minute, reported on every response. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textPart } from '../../support/bodies.js';
import { client, type MadeForm, makeForm } from '../../support/client.js';
import { startTimeServer, type TimeServer } from '../../support/clock.js';
import { kept } from '../../support/kept.js';
import { startServer } from '../../support/server.js';
import {
  browserAccept,
  postJson,
  postMultipart,
  postUrlencoded,
  type VisitorAnswer,
  visit,
} from '../../support/visitor.js';

const windowMs = 60_000;
let server: TimeServer;

beforeAll(async () => {
  server = await startTimeServer(windowMs + 1_000);
});
afterAll(() => server.dispose());

const limitedForm = (perMinute: number, form: Record<string, unknown> = {}): Promise<MadeForm> =>
  makeForm(server.url, { project: { rate_limit_per_minute: perMinute }, form });

const reading = ({ headers }: VisitorAnswer): [string, string] => [
  String(headers['x-ratelimit-limit']),
  String(headers['x-ratelimit-remaining']),
];

describe('the three headers', () => {
  it('count down within one window, whose end does not move', async () => {
    const form = await limitedForm(4);
    const before = Date.now();
    const answers: VisitorAnswer[] = [];
    for (let i = 0; i < 4; i += 1) answers.push(await postJson(form.endpoint, { i }));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
    expect(answers.map(reading)).toEqual([
      ['4', '3'],
      ['4', '2'],
      ['4', '1'],
      ['4', '0'],
    ]);
    const ends = new Set(answers.map((answer) => answer.headers['x-ratelimit-reset']));
    expect(ends.size).toBe(1);
    const [end = ''] = ends;
    expect(end).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/);
    expect(Date.parse(String(end))).toBeGreaterThan(before);
    expect(Date.parse(String(end))).toBeLessThanOrEqual(Date.now() + windowMs);
  });

  it('stand on every POST answer: success, redirect, page and each refusal', async () => {
    const form = await limitedForm(1_000);
    const blocked = await limitedForm(1_000, { blocked_ips: ['127.0.0.1'] });
    const inactive = await limitedForm(1_000, { is_active: false });
    const own = await limitedForm(1_000, { allowed_origins: ['example.com'] });
    const captcha = await limitedForm(1_000, { captcha_enabled: true });
    const answers = await Promise.all([
      postJson(form.endpoint, { a: 1 }),
      postUrlencoded(form.endpoint, 'a=1'),
      postMultipart(form.endpoint, [textPart('a', '1')]),
      postJson(form.endpoint, { _gotcha: 'bot' }),
      postJson(form.endpoint, '{'),
      visit(form.endpoint, { headers: { 'content-type': 'text/plain', accept: browserAccept }, body: 'a' }),
      postJson(form.endpoint, { a: 'x'.repeat(1024 * 1024) }),
      postJson(form.endpoint, { a: 1 }, { origin: 'http://localhost' }),
      postJson(form.endpoint, { a: 1 }, { 'x-service-key': 'wrong' }),
      postJson(form.endpoint, { a: 1 }, { 'idempotency-key': '' }),
      postJson(blocked.endpoint, { a: 1 }),
      postJson(inactive.endpoint, { a: 1 }),
      postJson(own.endpoint, { a: 1 }),
      postJson(captcha.endpoint, { a: 1 }),
      postJson(captcha.endpoint, { a: 1, _challengeToken: 'x' }),
      postJson(`${server.url}/f/nosuchform`, { a: 1 }),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([
      200, 303, 303, 200, 400, 400, 413, 403, 403, 400, 403, 403, 403, 403, 403, 404,
    ]);
    for (const { headers } of answers) {
      expect(headers['x-ratelimit-limit']).toMatch(/^\d+$/);
      expect(headers['x-ratelimit-remaining']).toMatch(/^\d+$/);
      expect(Number.isNaN(Date.parse(String(headers['x-ratelimit-reset'])))).toBe(false);
    }
  });
});

describe('above the limit', () => {
  it('returns 429 with retry_after in body and header, and stores nothing', async () => {
    const form = await limitedForm(2);
    await postJson(form.endpoint, { a: 1 });
    await postJson(form.endpoint, { a: 2 });
    const refused = await postJson(form.endpoint, { a: 3 });
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({
      error: 'Rate limit exceeded. Please try again later.',
      code: 'too_many_submissions',
      retry_after: expect.any(Number),
    });
    const { retry_after: retryAfter } = refused.body;
    expect(Number.isInteger(retryAfter)).toBe(true);
    expect(retryAfter).toBeGreaterThanOrEqual(1);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(refused.headers['retry-after']).toBe(String(retryAfter));
    expect(reading(refused)).toEqual(['2', '0']);
    expect((await kept(server, form.formId)).submissions).toBe(2);
  });

  it('counts refused requests as well', async () => {
    const form = await limitedForm(2);
    expect((await postJson(form.endpoint, '{')).status).toBe(400);
    expect((await postJson(form.endpoint, '{')).status).toBe(400);
    expect((await postJson(form.endpoint, { a: 1 })).status).toBe(429);
  });

  it('lets exactly the limit through when all come at once', async () => {
    const form = await limitedForm(10);
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => postJson(form.endpoint, { i })));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(10);
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(30);
    expect((await kept(server, form.formId)).submissions).toBe(10);
  });

  it('does not count preflights', async () => {
    const form = await limitedForm(1);
    const headers = { origin: 'https://example.com', 'access-control-request-method': 'POST' };
    for (let i = 0; i < 5; i += 1) {
      expect((await visit(form.endpoint, { method: 'OPTIONS', headers })).status).toBe(204);
    }
    expect((await postJson(form.endpoint, { a: 1 })).status).toBe(200);
  });

  it('starts anew when the window has ended', async () => {
    const form = await limitedForm(1);
    const first = await postJson(form.endpoint, { a: 1 });
    expect((await postJson(form.endpoint, { a: 2 })).status).toBe(429);
    await server.step();
    const next = await postJson(form.endpoint, { a: 3 });
    expect([next.status, ...reading(next)]).toEqual([200, '1', '0']);
    const moved =
      Date.parse(String(next.headers['x-ratelimit-reset'])) -
      Date.parse(String(first.headers['x-ratelimit-reset']));
    expect(moved).toBeGreaterThan(windowMs);
    expect((await postJson(form.endpoint, { a: 4 })).status).toBe(429);
  });
});

describe('who shares a window', () => {
  it('two forms of one project do, two projects do not', async () => {
    const form = await limitedForm(2);
    const sister = await client(server.url).post(`/api/v1/projects/${form.projectId}/forms`, {
      name: 'Other',
    });
    const elsewhere = await limitedForm(2);
    await postJson(form.endpoint, { a: 1 });
    expect(reading(await postJson(sister.body.endpoint, { a: 1 }))).toEqual(['2', '0']);
    expect((await postJson(form.endpoint, { a: 1 })).status).toBe(429);
    expect((await postJson(sister.body.endpoint, { a: 1 })).status).toBe(429);
    expect(reading(await postJson(elsewhere.endpoint, { a: 1 }))).toEqual(['2', '1']);
  });

  it('two addresses do not', async () => {
    const form = await limitedForm(1);
    expect((await postJson(form.endpoint, { a: 1 }, {}, '127.0.0.1')).status).toBe(200);
    expect((await postJson(form.endpoint, { a: 1 }, {}, '127.0.0.1')).status).toBe(429);
    expect((await postJson(form.endpoint, { a: 1 }, {}, '127.0.0.2')).status).toBe(200);
    expect((await postJson(form.endpoint, { a: 1 }, {}, '127.0.0.2')).status).toBe(429);
  });
});

describe('the setting', () => {
  it('is 60 for a new project, and changing it takes effect at once', async () => {
    const project = await client(server.url).post('/api/v1/projects', { name: 'Plain' });
    const form = await client(server.url).post(`/api/v1/projects/${project.body.id}/forms`, { name: 'F' });
    const { endpoint } = form.body;
    expect(reading(await postJson(endpoint, { a: 1 }))).toEqual(['60', '59']);
    const setTo = (limit: number) =>
      client(server.url).patch(`/api/v1/projects/${project.body.id}`, { rate_limit_per_minute: limit });
    await setTo(2);
    expect(reading(await postJson(endpoint, { a: 1 }))).toEqual(['2', '0']);
    expect((await postJson(endpoint, { a: 1 })).status).toBe(429);
    await setTo(100);
    expect(reading(await postJson(endpoint, { a: 1 }))).toEqual(['100', '96']);
  });

  it('takes its default from RATE_LIMIT_PER_MINUTE', async () => {
    const other = await startServer({ env: { RATE_LIMIT_PER_MINUTE: '7' } });
    try {
      const project = await client(other.url).post('/api/v1/projects', { name: 'P' });
      const form = await client(other.url).post(`/api/v1/projects/${project.body.id}/forms`, { name: 'F' });
      expect(reading(await postJson(form.body.endpoint, { a: 1 }))).toEqual(['7', '6']);
    } finally {
      await other.dispose();
    }
  });
});
