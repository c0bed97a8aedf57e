/** What a form's owner sees of rejected requests: counts by day and reason, and the last examples. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.js';
import { filePart } from '../../support/bodies.js';
import { client, type MadeForm, makeForm } from '../../support/client.js';
import { expectFaults, expectFields, expectProblem, instant } from '../../support/contract.js';
import { rawRequest } from '../../support/raw-http.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { postJson, postMultipart, postUrlencoded, visit } from '../../support/visitor.js';

const reasons = [
  'origin',
  'sandbox',
  'localhost',
  'inactive',
  'blocked',
  'service_key',
  'rate',
  'captcha',
  'honeypot',
  'size',
  'content_type',
  'plan',
  'webhook_loop',
  'redirect',
  'fields',
];

interface Example {
  readonly reason: string;
  readonly at: string;
  readonly seen: string;
  readonly ip: string;
  readonly user_agent: string;
}
interface Report {
  readonly days: readonly { day: string; total: number; reasons: Record<string, number> }[];
  readonly examples: readonly Example[];
}

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ env: { ALTCHA_DIFFICULTY: '100' } });
});
afterAll(() => server.dispose());

async function reportOf(form: Pick<MadeForm, 'formId'>, query = '', url = server.url): Promise<Report> {
  const answer = await client(url).get(`/api/v1/forms/${form.formId}/rejections${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

/** Summed over all days: a test that runs over midnight has its counts on two. */
function countsIn({ days }: Report): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { total, reasons: ofDay } of days) {
    expect(Object.values(ofDay).reduce((sum, count) => sum + count, 0)).toBe(total);
    for (const [reason, count] of Object.entries(ofDay)) {
      if (count > 0) counts[reason] = (counts[reason] ?? 0) + count;
    }
  }
  return counts;
}

describe('a request that is refused', () => {
  const headers = { 'user-agent': 'Visitor/1.0' };
  const cases: readonly {
    readonly reason: string;
    readonly seen: string | RegExp;
    readonly project?: Record<string, unknown>;
    readonly form?: Record<string, unknown>;
    readonly send: (endpoint: string) => Promise<{ status: number }>;
    readonly status: number;
    readonly ip?: string;
  }[] = [
    {
      reason: 'origin',
      form: { allowed_origins: ['example.com'] },
      send: (to) => postJson(to, { a: 1 }, { ...headers, origin: 'https://staging.example.com' }),
      status: 403,
      seen: 'Origin: https://staging.example.com',
    },
    {
      reason: 'origin',
      project: { allowed_origins: ['example.com'] },
      send: (to) => postJson(to, { a: 1 }, { ...headers, referer: 'https://example.org/contact?x=1' }),
      status: 403,
      seen: 'Referer: https://example.org/contact?x=1',
    },
    {
      reason: 'origin',
      form: { allowed_origins: ['example.com'] },
      send: (to) => postJson(to, { a: 1 }, headers),
      status: 403,
      seen: 'neither Origin nor Referer',
    },
    {
      reason: 'sandbox',
      form: { validation_mode: 'sandbox', sandbox_ips: ['127.0.0.1'] },
      send: (to) => postJson(to, { a: 1 }, headers, '127.0.0.77'),
      status: 403,
      seen: 'address 127.0.0.77',
      ip: '127.0.0.77',
    },
    {
      reason: 'localhost',
      send: (to) => postJson(to, { a: 1 }, { ...headers, origin: 'http://localhost:5173' }),
      status: 403,
      seen: 'Origin: http://localhost:5173',
    },
    {
      reason: 'inactive',
      form: { is_active: false },
      send: (to) => postJson(to, { a: 1 }, headers),
      status: 403,
      seen: 'the form is not active',
    },
    {
      reason: 'inactive',
      project: { is_active: false },
      send: (to) => postJson(to, { a: 1 }, headers),
      status: 403,
      seen: 'the project is not active',
    },
    {
      reason: 'blocked',
      form: { blocked_ips: ['127.0.0.66'] },
      send: (to) => postJson(to, { a: 1 }, headers, '127.0.0.66'),
      status: 403,
      seen: 'address 127.0.0.66',
      ip: '127.0.0.66',
    },
    {
      reason: 'service_key',
      form: { sandbox_api_key: 'the-key-of-this-form' },
      send: (to) => postJson(to, { a: 1 }, { ...headers, 'x-service-key': 'some-other-key-of-them' }),
      status: 403,
      seen: 'an X-Service-Key that is not the one of the form',
    },
    {
      reason: 'rate',
      project: { rate_limit_per_minute: 1 },
      async send(to) {
        const answers = [await postJson(to, { a: 1 }, headers), await postJson(to, { a: 1 }, headers)];
        return answers.find(({ status }) => status === 429) ?? { status: 0 };
      },
      status: 429,
      seen: '2 requests in this minute (limit 1)',
    },
    {
      reason: 'captcha',
      form: { captcha_enabled: true, captcha_provider: 'altcha' },
      send: (to) => postJson(to, { a: 1 }, headers),
      status: 403,
      seen: 'no token',
    },
    {
      reason: 'captcha',
      form: { captcha_enabled: true, captcha_provider: 'altcha' },
      send: (to) => postJson(to, { a: 1, _challengeToken: 'made up' }, headers),
      status: 403,
      seen: 'a token that altcha does not accept',
    },
    {
      reason: 'honeypot',
      send: (to) => postJson(to, { a: 1, _gotcha: 'I am a robot' }, headers),
      status: 200,
      seen: /^a value in a honeypot field/,
    },
    {
      reason: 'size',
      send: (to) => postUrlencoded(to, `a=${'x'.repeat(1024 * 1024)}`, headers),
      status: 413,
      seen: 'Content-Length: 1048578 (The body is larger than 1048576 bytes)',
    },
    {
      reason: 'size',
      send: (to) =>
        postJson(to, Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`f${n}`, 1])), headers),
      status: 413,
      seen: /\(More than 1000 fields\)$/,
    },
    {
      reason: 'content_type',
      send: (to) => visit(to, { headers: { ...headers, 'content-type': 'text/plain' }, body: 'a=1' }),
      status: 400,
      seen: /^Content-Type: text\/plain \(Unsupported Content-Type: use /,
    },
    {
      reason: 'content_type',
      send: (to) => visit(to, { headers, body: 'a=1' }),
      status: 400,
      seen: 'no Content-Type (Missing Content-Type)',
    },
    {
      reason: 'content_type',
      send: (to) => postJson(to, '{"a":', headers),
      status: 400,
      seen: /^Content-Type: application\/json \(The body is not valid JSON: /,
    },
  ];

  it.each(cases)('is counted with an example: $reason, $seen', async (one) => {
    const { reason, seen, status } = one;
    const form = await makeForm(server.url, {
      ...(one.project ? { project: one.project } : {}),
      ...(one.form ? { form: one.form } : {}),
    });
    expect(countsIn(await reportOf(form))).toEqual({});
    expect((await one.send(form.endpoint)).status).toBe(status);
    const report = await reportOf(form);
    expect(countsIn(report)).toEqual({ [reason]: 1 });
    expect(report.examples).toHaveLength(1);
    const [example] = report.examples as [Example];
    expectFields(example, ['reason', 'at', 'seen', 'ip', 'user_agent']);
    expect(example).toMatchObject({ reason, ip: one.ip ?? '127.0.0.1', user_agent: 'Visitor/1.0' });
    expect(example.at).toMatch(instant);
    if (typeof seen === 'string') expect(example.seen).toBe(seen);
    else expect(example.seen).toMatch(seen);
  });

  it('is counted for the plan, which has no files', async () => {
    const { api_key: key } = await makeAccount(server, 'starter');
    const form = await makeForm(server.url, { key });
    const file = filePart('cv', 'cv.txt', 'hello');
    expect((await postMultipart(form.endpoint, [file], { accept: 'application/json' })).status).toBe(402);
    const { body } = await client(server.url, key).get(`/api/v1/forms/${form.formId}/rejections`);
    expect(countsIn(body)).toEqual({ plan: 1 });
    expect(body.examples[0].seen).toBe('a file, which the plan does not include');
  });

  it('is counted when it only asked for the challenge that the form needs', async () => {
    const form = await makeForm(server.url, {
      form: { captcha_enabled: true, captcha_provider: 'altcha', allowed_origins: ['example.com'] },
    });
    const answer = await visit(`${form.endpoint}/challenge`, {
      method: 'GET',
      headers: { origin: 'https://staging.example.com' },
    });
    expect(answer.status).toBe(403);
    const report = await reportOf(form);
    expect(countsIn(report)).toEqual({ origin: 1 });
    expect(report.examples[0]?.seen).toBe('Origin: https://staging.example.com');
  });

  it('says nothing of it to the visitor', async () => {
    const form = await makeForm(server.url, { form: { allowed_origins: ['example.com'] } });
    const answer = await postJson(form.endpoint, { a: 1 }, { origin: 'https://staging.example.com' });
    expect(answer.body).toEqual({ error: 'Origin not allowed', code: 'origin_not_allowed' });
    const failed = await makeForm(server.url, { form: { captcha_enabled: true } });
    expect((await postJson(failed.endpoint, { a: 1 })).body).toEqual({
      error: 'CAPTCHA verification failed',
      code: 'captcha_failed',
    });
  });
});

it('counts a preflight from elsewhere: the browser sends nothing after it', async () => {
  const closed = await makeForm(server.url, { form: { allowed_origins: ['example.com'] } });
  await visit(closed.endpoint, {
    method: 'OPTIONS',
    headers: { origin: 'https://staging.example.com', 'access-control-request-method': 'POST' },
  });
  const report = await reportOf({ formId: closed.formId });
  expect(countsIn(report)).toEqual({ origin: 1 });
  expect(report.examples).toMatchObject([{ reason: 'origin', seen: 'Origin: https://staging.example.com' }]);
});

describe('not counted', () => {
  it('are what is accepted, a preflight that is allowed, a page, another method, and a key that was used already', async () => {
    const form = await makeForm(server.url);
    const key = { 'idempotency-key': 'once' };
    expect((await postJson(form.endpoint, { a: 1 }, key)).status).toBe(200);
    expect((await postJson(form.endpoint, { a: 2 }, key)).status).toBe(409);
    expect((await visit(`${form.endpoint}/success`, { method: 'GET' })).status).toBe(200);
    expect((await visit(form.endpoint, { method: 'GET' })).status).toBe(405);
    const closed = await makeForm(server.url, { form: { allowed_origins: ['example.com'] } });
    const preflight = await visit(closed.endpoint, {
      method: 'OPTIONS',
      headers: { origin: 'https://example.com', 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    for (const { formId } of [form, closed]) {
      const report = await reportOf({ formId });
      expect([countsIn(report), report.examples]).toEqual([{}, []]);
    }
  });

  it('is an unknown form: nobody owns it', async () => {
    const { formId } = await makeForm(server.url);
    expect((await postJson(`${server.url}/f/nosuchform22`, { a: 1 })).status).toBe(404);
    expect(countsIn(await reportOf({ formId }))).toEqual({});
  });
});

describe('the report', () => {
  it('has every day, oldest first, and every reason', async () => {
    const form = await makeForm(server.url, { form: { is_active: false } });
    await postJson(form.endpoint, { a: 1 });
    for (const [query, count] of [
      ['', 30],
      ['?days=1', 1],
      ['?days=90', 90],
    ] as const) {
      const before = Date.now();
      const report = await reportOf(form, query);
      expectFields(report, ['days', 'examples']);
      expect(report.days).toHaveLength(count);
      const last = Date.parse(`${report.days.at(-1)?.day}T00:00:00.000Z`);
      expect(Math.abs(before - last)).toBeLessThan(25 * 60 * 60_000);
      const wanted = report.days.map((_, index) =>
        new Date(last - (count - 1 - index) * 86_400_000).toISOString().slice(0, 10),
      );
      expect(report.days.map(({ day }) => day)).toEqual(wanted);
      for (const one of report.days) {
        expectFields(one, ['day', 'total', 'reasons']);
        expectFields(one.reasons, reasons);
      }
    }
  });

  it('has the last five examples of each reason, newest first, and counts them all', async () => {
    const form = await makeForm(server.url, { form: { allowed_origins: ['example.com'] } });
    for (let n = 1; n <= 4; n += 1)
      await postJson(form.endpoint, {}, { origin: `https://n${n}.example.org` });
    await reportOf(form);
    for (let n = 5; n <= 8; n += 1)
      await postJson(form.endpoint, {}, { origin: `https://n${n}.example.org` });
    const report = await reportOf(form);
    expect(countsIn(report)).toEqual({ origin: 8 });
    expect(report.examples.map(({ seen }) => seen)).toEqual(
      [8, 7, 6, 5, 4].map((n) => `Origin: https://n${n}.example.org`),
    );
  });

  it('takes the public id, and a key that may only read', async () => {
    const form = await makeForm(server.url, { form: { is_active: false } });
    await postJson(form.endpoint, { a: 1 });
    const made = await client(server.url).post('/api/v1/api-keys', { name: 'Reader', scope: 'read' });
    const reader = client(server.url, made.body.api_key);
    const { status, body } = await reader.get(`/api/v1/forms/${form.publicId}/rejections`);
    expect([status, countsIn(body)]).toEqual([200, { inactive: 1 }]);
  });

  it('is nobody else’s', async () => {
    const form = await makeForm(server.url);
    const { api_key: key } = await makeAccount(server, 'business');
    const answer = await client(server.url, key).get(`/api/v1/forms/${form.formId}/rejections`);
    expectProblem(answer, 404, 'Form not found');
  });

  it.each(['0', '91', '-1', '1.5', 'all', ''])('refuses days=%s', async (days) => {
    const { formId } = await makeForm(server.url);
    expectFaults(await client(server.url).get(`/api/v1/forms/${formId}/rejections?days=${days}`), ['days']);
  });
});

describe('what visitors write into it', () => {
  it('is cut and made harmless', async () => {
    const form = await makeForm(server.url, { form: { allowed_origins: ['example.com'] } });
    // Bytes that a browser never sends but a terminal acts on: C1 control characters, and a tab.
    const answer = await rawRequest(server.port, new URL(form.endpoint).pathname, {
      method: 'POST',
      headers: [
        ['Origin', `https://\x9b2J\t<script>.${'x'.repeat(5_000)}`],
        ['User-Agent', `\x9b${'y'.repeat(5_000)}`],
      ],
    });
    expect(answer.status).toBe(403);
    const [example] = (await reportOf(form)).examples as [Example];
    expect(example.seen).toMatch(/^Origin: https:\/\/\\x9b2J\\x09<script>\.x+…$/);
    expect(example.user_agent).toMatch(/^\\x9by+…$/);
    expect([example.seen.length, example.user_agent.length]).toEqual([300, 300]);
  });
});

it('survives a restart, and the owner sees it again', async () => {
  const first = await startServer();
  let second: RunningServer | undefined;
  try {
    const form = await makeForm(first.url, { form: { is_active: false } });
    for (let n = 0; n < 3; n += 1) await postJson(form.endpoint, { n });
    expect(await first.end('SIGTERM')).toBe(0);
    second = await startServer({ dataDir: first.dataDir });
    const report = await reportOf(form, '', second.url);
    expect(countsIn(report)).toEqual({ inactive: 3 });
    expect(report.examples).toHaveLength(3);
  } finally {
    await second?.dispose();
    await first.dispose();
  }
});
