/**
 * The server dies without warning while it delivers. Every submission that was acknowledged reaches its receivers, whole and
 * rightly signed, at least once; a crash uses up no attempt and sends again no more than was under way.
 *
 * `npm run kills -- --times 1000` does it as often as you like. CRASH_CYCLES sets how often it dies (12), CRASH_SEED repeats
 * a run.
 */
import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { client, makeForm, submitJson } from '../support/client.js';
import { noteFaults } from '../support/fault-counts.js';
import { answerBytes, type ReceivedRequest, type Receiver, startReceiver } from '../support/receivers.js';
import { runSeed, seeded } from '../support/seeded.js';
import { type RunningServer, startServer } from '../support/server.js';

const cycles = Math.ceil(Number(process.env.CRASH_CYCLES ?? 12) / 2);
/** Grows with the count: only a hang reaches it. */
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

async function receive(answer: (request: ReceivedRequest) => number): Promise<Receiver> {
  const receiver = await startReceiver(
    (socket, request) => void socket.write(answerBytes({ status: answer(request) })),
  );
  open.push(receiver);
  return receiver;
}

const clientIdIn = ({ body }: ReceivedRequest): string =>
  JSON.parse(body.toString()).submission.data.client_id;

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
  it.each([
    ['before-claim', 1],
    ['after-claim', 1],
    ['before-record', 2],
    ['after-record', 1],
  ])('%s: the webhook arrives %i time(s), as attempt 1', { timeout: mostMs }, async (point, times) => {
    const receiver = await receive(() => 200);
    server = await startServer({ env });
    const { dataDir, port } = server;
    const form = await makeForm(server.url, { form: { webhook_url: `${receiver.url}/hook` } });
    expect(await server.end()).toBe(0);

    server = await startServer({ env, dataDir, port, nodeArguments: dyingAt(point) });
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
    const receiver = await receive(() => 200);
    server = await startServer({ env });
    const { dataDir, port } = server;
    const form = await makeForm(server.url, { form: { webhook_url: receiver.url } });
    await server.end();
    server = await startServer({ env, dataDir, port, nodeArguments: dyingAt('before-submission') });
    await expect(submitJson(form.endpoint, { client_id: 'one' })).rejects.toThrow();
    await server.exited;
    server = await startServer({ env, dataDir, port });
    noteFaults('sigkill-named', { faults: 1, acknowledged: 0, unanswered: 1, lost: 0 });
    expect((await client(server.url).get(`/api/v1/forms/${form.formId}`)).body.submissions_count).toBe(0);
    expect(receiver.requests).toEqual([]);
  });

  it('after-submission: the visitor got no answer, and the webhook goes out once', {
    timeout: mostMs,
  }, async () => {
    const receiver = await receive(() => 200);
    server = await startServer({ env });
    const { dataDir, port } = server;
    const form = await makeForm(server.url, { form: { webhook_url: receiver.url } });
    await server.end();
    server = await startServer({ env, dataDir, port, nodeArguments: dyingAt('after-submission') });
    await expect(submitJson(form.endpoint, { client_id: 'one' })).rejects.toThrow();
    await server.exited;
    server = await startServer({ env, dataDir, port });
    noteFaults('sigkill-named', { faults: 1, acknowledged: 0, unanswered: 1, lost: 0 });
    await vi.waitFor(() => expect(receiver.requests).toHaveLength(1), { timeout: 20_000 });
    await untilSettled(server.url, form.formId);
    expect(receiver.requests).toHaveLength(1);
  });
});

describe('SIGKILL while it delivers under load', () => {
  it('every acknowledged submission arrives, rightly signed', { timeout: mostMs }, async () => {
    const chance = seeded(runSeed());
    process.stdout.write(`SIGKILL while delivering, ${cycles} cycles: CRASH_SEED=${chance.seed}\n`);
    const steady = await receive(() => 200);
    // Fails at first: its deliveries live through the crashes between their attempts.
    const refusals = new Map<string, number>();
    const flaky = await receive((request) => {
      const seen = (refusals.get(submissionOf(request)) ?? 0) + 1;
      refusals.set(submissionOf(request), seen);
      return seen >= 2 ? 200 : 500;
    });
    server = await startServer({ env });
    const { dataDir, port } = server;
    const form = await makeForm(server.url, {
      project: { webhook_url: `${flaky.url}/project` },
      form: { webhook_url: `${steady.url}/form` },
    });
    const { webhook_secret: secret } = (await client(server.url).get(`/api/v1/projects/${form.projectId}`))
      .body;
    const promised = new Set<string>();
    for (let cycle = 0; cycle < cycles; cycle += 1) {
      const running = server;
      let dead = false;
      const load = async (): Promise<void> => {
        while (!dead) {
          const id = randomUUID();
          const answer = await submitJson(form.endpoint, { client_id: id }).catch(() => null);
          if (answer?.status === 200) promised.add(id);
        }
      };
      const loads = Array.from({ length: 4 }, load);
      const wanted = promised.size + chance.between(10, 60);
      await vi.waitFor(() => expect(promised.size).toBeGreaterThanOrEqual(wanted), { timeout: 60_000 });
      await pause(chance.next() * 30);
      await running.end('SIGKILL');
      dead = true;
      await Promise.all(loads);
      server = await startServer({ env, dataDir, port });
    }
    await untilSettled(server.url, form.formId);
    expect(await statesOf(server.url, form.formId, 'failed')).toBe(0);

    const arrivedAt = [steady, flaky].map(({ requests }) => new Set(requests.map(clientIdIn)));
    noteFaults('sigkill-delivering', {
      faults: cycles,
      acknowledged: promised.size,
      lost: [...promised].filter((id) => !arrivedAt.every((arrived) => arrived.has(id))).length,
    });
    for (const receiver of [steady, flaky]) {
      const arrived = new Set(receiver.requests.map(clientIdIn));
      expect(
        [...promised].filter((id) => !arrived.has(id)),
        'lost',
      ).toEqual([]);
      for (const { headers, body } of receiver.requests) {
        const signature = createHmac('sha256', secret).update(body).digest('hex');
        expect(headers.get('x-webhook-signature')).toBe(`sha256=${signature}`);
      }
    }
    // A crash repeats at most what was under way, which is at most 192 sends.
    const repeated = steady.requests.length - new Set(steady.requests.map(submissionOf)).size;
    expect(repeated).toBeLessThanOrEqual(cycles * 192);
    expect(await server.end()).toBe(0);
  });
});
