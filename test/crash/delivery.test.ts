/**
 * The server dies without warning while it delivers. Every acknowledged submission reaches its destinations at least once, complete and
 * correctly signed. A crash uses up no attempt, and repeats no more sends than were in progress.
 *
 * `npm run kills -- --times 1000` repeats it as often as you like. CRASH_CYCLES sets the number of crashes (6), CRASH_SEED repeats a run.
 */
import { createHmac, randomUUID } from 'node:crypto';
import { cp } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { client, type MadeForm, makeForm, submitJson } from '../support/client.js';
import { type FakeGoogle, startGoogleSheets } from '../support/fakes/google-sheets.js';
import { slackPath, startSlack } from '../support/fakes/slack.js';
import { noteFaults } from '../support/fault-counts.js';
import { startMailServer } from '../support/mail-server.js';
import { answerBytes, type ReceivedRequest, type Receiver, startReceiver } from '../support/receivers.js';
import { runSeed, seeded } from '../support/seeded.js';
import { freePort, type RunningServer, startServer, temporaryFolder } from '../support/server.js';

const cycles = Math.ceil(Number(process.env.CRASH_CYCLES ?? 6) / 2);
/** Grows with the number of cycles, so that only a hang reaches it. */
const mostMs = 60_000 + cycles * 60_000;
const env = {
  API_RATE_LIMIT_PER_MINUTE: '10000000',
  LOG_LEVEL: 'error',
  WEBHOOK_RETRY_DELAYS: '0.1,0.2,0.4,0.8',
};

const open: { close(): Promise<void> }[] = [];
let server: RunningServer | undefined;
afterEach(async () => {
  await server?.dispose();
  server = undefined;
  for (const receiver of open.splice(0)) await receiver.close();
});

async function receive(answer: (request: ReceivedRequest) => number, port?: number): Promise<Receiver> {
  const receiver = await startReceiver(
    (socket, request) => void socket.write(answerBytes({ status: answer(request) })),
    port === undefined ? {} : { port },
  );
  open.push(receiver);
  return receiver;
}

const clientIdIn = ({ body }: ReceivedRequest): string =>
  JSON.parse(body.toString()).submission.data.client_id;

/** All ids in what was sent: of clients and of submissions. */
const idsIn = (texts: readonly string[]): ReadonlySet<string> =>
  new Set(texts.flatMap((text) => text.match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? []));

const isForSales = (clientId: string): boolean => /[0-7]$/.test(clientId);

const submissionOf = (request: ReceivedRequest): string => request.headers.get('x-submission-id') ?? '';

const statesOf = async (url: string, formId: string, state: string): Promise<number> => {
  const page = await client(url).get(`/api/v1/forms/${formId}/submissions?webhook_state=${state}&limit=100`);
  return page.body.data.length;
};

const untilSettled = (url: string, formId: string): Promise<void> =>
  vi.waitFor(
    async () => {
      expect(await statesOf(url, formId, 'pending')).toBe(0);
    },
    { timeout: 60_000, interval: 100 },
  );

const hook = fileURLToPath(new URL('../support/crash-hook.mjs', import.meta.url));
const dyingAt = (point: string) => ['--import', `file://${hook}?at=${point}`];

describe('a server that dies at a named point of a delivery', () => {
  /** A form with a webhook. Each test gets a copy of its folder, and the same ports. */
  let made: RunningServer;
  let form: MadeForm;
  let hookPort: number;
  let google: FakeGoogle;
  let withGoogle: Record<string, string>;
  beforeAll(async () => {
    hookPort = await freePort();
    google = await startGoogleSheets();
    withGoogle = { ...env, GOOGLE_API_URL: google.origin };
    made = await startServer({ env: withGoogle });
    form = await makeForm(made.url, { form: { webhook_url: `http://127.0.0.1:${hookPort}/hook` } });
    expect(await made.end()).toBe(0);
  });
  afterAll(async () => {
    await made?.dispose();
    await google?.close();
  });

  async function startDying(point: string): Promise<RunningServer> {
    const dataDir = await temporaryFolder();
    await cp(made.dataDir, dataDir, { recursive: true });
    return startServer({ env: withGoogle, dataDir, port: made.port, nodeArguments: dyingAt(point) });
  }

  it('before-record: a row of a sheet is added once', { timeout: mostMs }, async () => {
    server = await startDying('before-record');
    const { dataDir, port } = server;
    const sheet = await makeForm(server.url);
    const config = {
      credentials: google.credentials,
      spreadsheet_id: google.spreadsheetId,
      sheet: "Ada's Leads!",
    };
    const path = `/api/v1/forms/${sheet.formId}/destinations`;
    expect((await client(server.url).post(path, { kind: 'google_sheets', config })).status).toBe(201);
    const accepted = await submitJson(sheet.endpoint, { client_id: 'one' });
    expect(accepted.status).toBe(200);
    expect(await server.exited, 'it died').toBeNull();
    const ids = () => google.cells().map(([id]) => id);
    expect(ids()).toEqual(['Submission', accepted.body.submission_id]);

    server = await startServer({ env: withGoogle, dataDir, port });
    await untilSettled(server.url, sheet.formId);
    noteFaults('sigkill-named', { faults: 1, acknowledged: 1, lost: 0 });
    expect(ids()).toEqual(['Submission', accepted.body.submission_id]);
    const { body } = await client(server.url).get(
      `/api/v1/submissions/${accepted.body.submission_id}/deliveries`,
    );
    expect(body.data).toMatchObject([{ state: 'delivered', attempts: [{ number: 1, status: 200 }] }]);
  });

  it.each([
    ['before-claim', 1],
    ['after-claim', 1],
    ['before-record', 2],
    ['after-record', 1],
  ])('%s: the webhook arrives %i time(s), as attempt 1', { timeout: mostMs }, async (point, times) => {
    const receiver = await receive(() => 200, hookPort);
    server = await startDying(point);
    const { dataDir, port } = server;
    const accepted = await submitJson(form.endpoint, { client_id: 'one' });
    expect(accepted.status).toBe(200);
    expect(await server.exited, 'it died').toBeNull();
    const before = receiver.requests.length;
    expect(before).toBe(point.endsWith('-record') ? 1 : 0);

    server = await startServer({ env, dataDir, port });
    await untilSettled(server.url, form.formId);
    noteFaults('sigkill-named', { faults: 1, acknowledged: 1, lost: receiver.requests.length > 0 ? 0 : 1 });
    expect(receiver.requests).toHaveLength(times);
    expect(receiver.requests.map((request) => request.headers.get('x-webhook-attempt'))).toEqual(
      Array.from({ length: times }, () => '1'),
    );
    const [first] = receiver.requests;
    for (const request of receiver.requests) {
      expect(request.body.equals(first?.body ?? Buffer.alloc(0)), 'the same bytes').toBe(true);
      expect(request.headers.get('webhook-id')).toBe(first?.headers.get('webhook-id'));
    }
    const { body } = await client(server.url).get(
      `/api/v1/submissions/${accepted.body.submission_id}/deliveries`,
    );
    expect(body.data).toMatchObject([{ state: 'delivered', attempts: [{ number: 1, status: 200 }] }]);
    expect(body.data[0].attempts).toHaveLength(1);
  });

  it('before-submission: nothing was promised, and nothing is sent', { timeout: mostMs }, async () => {
    const receiver = await receive(() => 200, hookPort);
    server = await startDying('before-submission');
    const { dataDir, port } = server;
    await expect(submitJson(form.endpoint, { client_id: 'one' })).rejects.toThrow();
    await server.exited;
    server = await startServer({ env, dataDir, port });
    noteFaults('sigkill-named', { faults: 1, acknowledged: 0, unanswered: 1, lost: 0 });
    expect((await client(server.url).get(`/api/v1/forms/${form.formId}`)).body.submissions_count).toBe(0);
    expect(receiver.requests).toEqual([]);
  });

  it('after-submission: the visitor got no response, and the webhook goes out once', {
    timeout: mostMs,
  }, async () => {
    const receiver = await receive(() => 200, hookPort);
    server = await startDying('after-submission');
    const { dataDir, port } = server;
    await expect(submitJson(form.endpoint, { client_id: 'one' })).rejects.toThrow();
    await server.exited;
    server = await startServer({ env, dataDir, port });
    noteFaults('sigkill-named', { faults: 1, acknowledged: 0, unanswered: 1, lost: 0 });
    await expect.poll(() => receiver.requests).toHaveLength(1);
    await untilSettled(server.url, form.formId);
    expect(receiver.requests).toHaveLength(1);
  });
});

describe('SIGKILL while it delivers under load', () => {
  it('every acknowledged submission arrives, rightly signed', { timeout: mostMs }, async () => {
    const chance = seeded(runSeed());
    process.stdout.write(`SIGKILL while delivering, ${cycles} cycles: CRASH_SEED=${chance.seed}\n`);
    const steady = await receive(() => 200);
    // Fails at first, so that its deliveries have to survive crashes between attempts.
    const refusals = new Map<string, number>();
    const flaky = await receive((request) => {
      const seen = (refusals.get(submissionOf(request)) ?? 0) + 1;
      refusals.set(submissionOf(request), seen);
      return seen >= 2 ? 200 : 500;
    });
    const sales = await receive(() => 200);
    const slack = await startSlack();
    const mails = await startMailServer();
    open.push(slack, mails);
    const withMails = { ...env, SMTP_URL: mails.url, MAIL_FROM: 'inlet@forms.example.com' };
    server = await startServer({ env: withMails });
    const { dataDir, port } = server;
    const form = await makeForm(server.url, {
      project: { webhook_url: `${flaky.url}/project` },
      form: { webhook_url: `${steady.url}/form`, notify_emails: ['team@example.com'] },
    });
    const filter = { submission: { data: { team: 'sales' } } };
    for (const destination of [
      { kind: 'webhook', config: { url: sales.url }, filter },
      { kind: 'slack', config: { url: `${slack.origin}${slackPath}` } },
    ]) {
      const path = `/api/v1/forms/${form.formId}/destinations`;
      expect((await client(server.url).post(path, destination)).status).toBe(201);
    }
    const { webhook_secret: secret } = (await client(server.url).get(`/api/v1/projects/${form.projectId}`))
      .body;
    const promised = new Set<string>();
    for (let cycle = 0; cycle < cycles; cycle += 1) {
      const running = server;
      let dead = false;
      const load = async (): Promise<void> => {
        while (!dead) {
          const id = randomUUID();
          const fields = { client_id: id, team: isForSales(id) ? 'sales' : 'support' };
          const answer = await submitJson(form.endpoint, fields).catch(() => null);
          if (answer?.status === 200) promised.add(id);
        }
      };
      const loads = Array.from({ length: 4 }, load);
      const wanted = promised.size + chance.between(10, 60);
      await expect.poll(() => promised.size, { timeout: 60_000 }).toBeGreaterThanOrEqual(wanted);
      await pause(chance.next() * 30);
      await running.end('SIGKILL');
      dead = true;
      await Promise.all(loads);
      server = await startServer({ env: withMails, dataDir, port });
    }
    await untilSettled(server.url, form.formId);
    expect(await statesOf(server.url, form.formId, 'failed')).toBe(0);

    expect(sales.requests.map(clientIdIn).filter((id) => !isForSales(id))).toEqual([]);
    const arrivedAt = [
      ...[steady, flaky].map(({ requests }) => new Set(requests.map(clientIdIn))),
      new Set([...sales.requests.map(clientIdIn), ...[...promised].filter((id) => !isForSales(id))]),
      idsIn(slack.requests.map(({ body }) => String(body))),
      // Quoted-printable continues a long line after an equals sign.
      idsIn(mails.mails.map(({ raw }) => raw.replaceAll('=\r\n', ''))),
    ];
    noteFaults('sigkill-delivering', {
      faults: cycles,
      acknowledged: promised.size,
      lost: [...promised].filter((id) => !arrivedAt.every((arrived) => arrived.has(id))).length,
    });
    for (const arrived of arrivedAt) {
      expect(
        [...promised].filter((id) => !arrived.has(id)),
        'lost',
      ).toEqual([]);
    }
    for (const receiver of [steady, flaky, sales]) {
      for (const { headers, body } of receiver.requests) {
        const signature = createHmac('sha256', secret).update(body).digest('hex');
        expect(headers.get('x-webhook-signature')).toBe(`sha256=${signature}`);
      }
    }
    // A crash repeats at most the sends in progress, of which there are at most 192.
    const repeated = steady.requests.length - new Set(steady.requests.map(submissionOf)).size;
    expect(repeated).toBeLessThanOrEqual(cycles * 192);
    expect(await server.end()).toBe(0);
  });
});
