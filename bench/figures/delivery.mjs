/**
 * Figure: webhooks. Deliveries per second, compared with a bare undici loop; the delay after a submission; and how much an
 * endpoint that hangs or is down slows the others.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Agent, request } from 'undici';
import { eventText, seedDeliveries } from '../data/backlog.mjs';
import { inTurns } from '../load/in-turns.mjs';
import { burst, loadGenerator, payload } from '../load/load.mjs';
import { median, progress, quantile, round } from '../numbers.mjs';
import {
  api,
  cpuSeconds,
  makeForm,
  removeFolder,
  runToEnd,
  start,
  startInlet,
  temporaryFolder,
  untilIdle,
} from '../servers/processes.mjs';

const goals = { rate: 0.7, firstByteMs: 10, isolationMs: 2_000, parked: 0.9, filtered: 0.9 };
/** Rounds and amounts. The quick run skips what takes long: the parked rows, and submitting during delivery. */
const sizes = {
  full: {
    rounds: 3,
    // A server that has just started runs code that is not compiled yet.
    backlog: { count: 6_000, warmUp: 4_000 },
    liveSeconds: 2,
    singles: 150,
    hanging: 10_000,
    isolationSeconds: 4,
    slackSeconds: 2,
    filteredSeconds: 1,
    parked: { count: 100_000, backlog: { count: 3_000, warmUp: 1_500 } },
  },
  quick: {
    rounds: 1,
    backlog: { count: 1_000, warmUp: 200 },
    liveSeconds: null,
    singles: 20,
    hanging: 200,
    isolationSeconds: 1,
    slackSeconds: 1,
    filteredSeconds: 1,
    parked: null,
  },
};
const healthyReceivers = 50;
const receiverEntry = fileURLToPath(new URL('../load/receiver.mjs', import.meta.url));
const loopEntry = fileURLToPath(new URL('../floors/undici-loop.mjs', import.meta.url));

const row = (figure, value, goal = '', met = null) => ({ figure: `delivery, ${figure}`, value, goal, met });
const now = () => Number(process.hrtime.bigint()) / 1e6;
const ask = async (receiver, path) => (await fetch(receiver.url + path)).json();

async function untilReceived(receiver, count, timeoutMs = 120_000) {
  const endsAt = now() + timeoutMs;
  for (;;) {
    const received = await ask(receiver, '/count');
    if (received >= count) return;
    if (now() > endsAt) throw new Error(`${received} of ${count} deliveries came in ${timeoutMs} ms`);
    await pause(50);
  }
}

/** Deliveries per second, without those of the warm-up. */
async function rateOf(receiver, warmUp) {
  const { count, firstAt, lastAt } = await ask(receiver, `/report?skip=${warmUp}`);
  return round((count - warmUp - 1) / ((lastAt - firstAt) / 1000), 0);
}

/** Faster than fewer at once: 11,900 per second, compared with 11,000 with 16. */
const bareAtOnce = 64;

async function bareLoop(receiver, { count, warmUp, form }) {
  await ask(receiver, '/reset');
  const body = eventText('01900000-0000-7000-8000-000000000000', form);
  const numbers = [count, warmUp, bareAtOnce].map(String);
  const { cpuUsPerDelivery } = JSON.parse(
    await runToEnd(process.execPath, [loopEntry, `${receiver.url}/hook`, ...numbers, body]),
  );
  return { perSecond: await rateOf(receiver, warmUp), cpuUsPerDelivery: round(cpuUsPerDelivery, 1) };
}

/** Starts a server on a backlog and waits until the last delivery has arrived. */
async function drain(receiver, dataDir, { count, warmUp, form }) {
  await seedDeliveries(dataDir, [{ form, url: `${receiver.url}/hook`, count: count + warmUp }]);
  await ask(receiver, '/reset');
  const inlet = await startInlet(dataDir);
  try {
    await untilReceived(receiver, warmUp);
    const before = cpuSeconds(inlet.pid).all;
    const atWarm = await ask(receiver, '/count');
    await untilReceived(receiver, count + warmUp);
    const cpu = cpuSeconds(inlet.pid).all - before;
    return {
      perSecond: await rateOf(receiver, warmUp),
      cpuUsPerDelivery: round((cpu * 1e6) / Math.max(1, count + warmUp - atWarm), 1),
    };
  } finally {
    await inlet.end();
  }
}

/** Creates a data folder with a form whose webhook goes to `url`, and stops the server again. */
async function prepare(url) {
  const dataDir = await temporaryFolder();
  try {
    const inlet = await startInlet(dataDir);
    try {
      return { dataDir, form: await makeForm(inlet, { webhook_url: url }) };
    } finally {
      await inlet.end();
    }
  } catch (error) {
    await removeFolder(dataDir);
    throw error;
  }
}

async function rate({ receiver, size: { rounds, backlog: size, liveSeconds } }) {
  const { dataDir, form } = await prepare(`${receiver.url}/hook`);
  try {
    const raw = { bare: [], inlet: [] };
    for (let i = 0; i < rounds; i += 1) {
      raw.bare.push(await bareLoop(receiver, { ...size, form }));
      raw.inlet.push(await drain(receiver, dataDir, { ...size, form }));
    }
    const ratios = raw.inlet.map((one, i) => round(one.perSecond / raw.bare[i].perSecond, 3));
    const ratio = median(ratios);
    const middle = (side, key) => median(raw[side].map((one) => one[key]));
    const value =
      `${ratio} of a bare undici loop (${middle('inlet', 'perSecond')}/s of ${middle('bare', 'perSecond')}/s); ` +
      `CPU ${middle('inlet', 'cpuUsPerDelivery')} µs of ${middle('bare', 'cpuUsPerDelivery')} µs`;
    progress(`delivery: backlog: ${value}`);
    const rows = [row('a backlog', value, `>= ${goals.rate}`, ratio >= goals.rate)];
    if (liveSeconds === null) return { rows, results: { ratio, ratios, raw } };
    const live = await whileSubmitting(receiver, dataDir, form, liveSeconds);
    const liveRow = row(
      'while submissions come as fast as they can',
      `${live.perSecond}/s delivered while ${live.submittedPerSecond}/s were taken`,
    );
    return { rows: [...rows, liveRow], results: { ratio, ratios, raw, live } };
  } finally {
    await removeFolder(dataDir);
  }
}

async function whileSubmitting(receiver, dataDir, form, seconds) {
  const inlet = await startInlet(dataDir);
  try {
    await burst(inlet.url + form.path, 16, 1);
    await untilIdle(inlet.pid);
    await ask(receiver, '/reset');
    const { requests, perSecond } = await burst(inlet.url + form.path, 16, seconds);
    const { count: deliveredMeanwhile } = await ask(receiver, '/report');
    await untilReceived(receiver, requests);
    return {
      submittedPerSecond: round(perSecond, 0),
      deliveredMeanwhile,
      perSecond: await rateOf(receiver, 0),
    };
  } finally {
    await inlet.end();
  }
}

const client = new Agent({ connections: 16, pipelining: 1, keepAliveTimeout: 60_000 });

/** Submits once. The times are on the same clock as the endpoints'. */
async function submit(url) {
  const sentAt = now();
  const answer = await request(url, {
    method: 'POST',
    dispatcher: client,
    headers: { 'content-type': 'application/json' },
    body: payload,
  });
  const { submission_id: id } = await answer.body.json();
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} from ${url}`);
  return { id, sentAt, answeredAt: now() };
}

/** For each submission, how long after sending it and after its response the webhook arrived. */
async function delays(receiver, submissions) {
  const arrivals = await ask(receiver, '/arrivals');
  const firstAt = new Map();
  for (const { at, submission } of arrivals) if (!firstAt.has(submission)) firstAt.set(submission, at);
  return submissions.map(({ id, sentAt, answeredAt }) => {
    const at = firstAt.get(id);
    if (at === undefined) throw new Error(`the webhook of ${id} did not come`);
    return { sinceSentMs: round(at - sentAt), sinceAnswerMs: round(at - answeredAt) };
  });
}

const quantiles = (found, key) => ({
  p50Ms: round(
    quantile(
      found.map((one) => one[key]),
      0.5,
    ),
  ),
  p99Ms: round(
    quantile(
      found.map((one) => one[key]),
      0.99,
    ),
  ),
});

async function firstByte({ receiver, size }) {
  const { dataDir, form } = await prepare(`${receiver.url}/hook`);
  try {
    const inlet = await startInlet(dataDir);
    try {
      const url = inlet.url + form.path;
      const one = async (list) => {
        list.push(await submit(url));
        // Varies, so as not to be in step with anything periodic.
        await pause(10 + ((list.length * 7) % 23));
      };
      const warmUp = [];
      while (warmUp.length < 30) await one(warmUp);
      await untilReceived(receiver, 1);
      await pause(500);
      await ask(receiver, '/reset');
      const submissions = [];
      while (submissions.length < size.singles) await one(submissions);
      await untilReceived(receiver, submissions.length);
      const found = await delays(receiver, submissions);
      const sent = quantiles(found, 'sinceSentMs');
      const answered = quantiles(found, 'sinceAnswerMs');
      const value =
        `p50 ${answered.p50Ms} ms, p99 ${answered.p99Ms} ms after the answer came; ` +
        `p50 ${sent.p50Ms} ms, p99 ${sent.p99Ms} ms after the request was sent`;
      progress(`delivery: first byte: ${value}`);
      return {
        rows: [row('first byte', value, `p50 < ${goals.firstByteMs} ms`, sent.p50Ms < goals.firstByteMs)],
        results: { sent, answered, raw: found },
      };
    } finally {
      await inlet.end();
    }
  } finally {
    await removeFolder(dataDir);
  }
}

/** One endpoint hangs with a long backlog; the others get two submissions per second each. */
const isolation = (from) =>
  besideHanging(from, `one that hangs with ${from.size.hanging}`, async ({ url, dataDir, form }) => {
    await seedDeliveries(dataDir, [{ form, url, count: from.size.hanging }]);
    return startInlet(dataDir);
  });

/** The same with a hanging Slack destination of the project: all submissions go there too, behind the backlog of a burst. */
const deadSlack = (from) =>
  besideHanging(from, 'a Slack of all forms that hangs', async ({ url, dataDir, form }) => {
    const inlet = await startInlet(dataDir);
    await api(inlet, 'PATCH', `/api/v1/forms/${form.formId}`, { webhook_url: null });
    await api(inlet, 'POST', `/api/v1/projects/${form.projectId}/destinations`, {
      kind: 'slack',
      config: { url },
    });
    await burst(inlet.url + form.path, 64, from.size.slackSeconds);
    return inlet;
  });

/** `begin` creates the backlog of the hanging endpoint and starts the server. */
async function besideHanging({ receiver, size: { isolationSeconds: seconds } }, what, begin) {
  const [hangingPort, ...healthyPorts] = await ask(receiver, '/ports');
  const url = `http://127.0.0.1:${hangingPort}/hang`;
  const { dataDir, form } = await prepare(url);
  try {
    const inlet = await begin({ url, dataDir, form });
    try {
      const paths = [];
      for (const port of healthyPorts) {
        const made = await api(inlet, 'POST', `/api/v1/projects/${form.projectId}/forms`, {
          name: `Healthy ${port}`,
          webhook_url: `http://127.0.0.1:${port}/hook`,
        });
        paths.push(`/f/${made.public_id}`);
      }
      await ask(receiver, '/reset');
      const total = paths.length * 2 * seconds;
      const found = await delays(receiver, await submitEvenly(inlet, paths, total, seconds, receiver));
      const { p50Ms, p99Ms } = quantiles(found, 'sinceSentMs');
      const longest = Math.max(...found.map((one) => one.sinceSentMs));
      const value = `p99 ${p99Ms} ms, p50 ${p50Ms} ms, longest ${longest} ms, of ${total}`;
      progress(`delivery: ${paths.length} receivers beside ${what}: ${value}`);
      return {
        rows: [
          row(
            `${paths.length} receivers beside ${what}, to the first attempt`,
            value,
            `p99 < ${goals.isolationMs} ms`,
            p99Ms < goals.isolationMs,
          ),
        ],
        results: { p50Ms, p99Ms, longestMs: longest, raw: found },
      };
    } finally {
      // A graceful stop would wait some seconds for the hanging endpoint.
      await inlet.end('SIGKILL');
    }
  } finally {
    await removeFolder(dataDir);
  }
}

/** Submits to the forms in turns at an even pace, then waits until all webhooks have arrived. */
async function submitEvenly(inlet, paths, total, seconds, receiver) {
  const startedAt = now();
  const submissions = [];
  for (let i = 0; i < total; i += 1) {
    const wait = startedAt + (i * seconds * 1000) / total - now();
    if (wait > 0) await pause(wait);
    submissions.push(submit(inlet.url + paths[i % paths.length]));
  }
  const sent = await Promise.all(submissions);
  await untilReceived(receiver, total);
  return sent;
}

/** Drains the same backlog alone, and beside rows that wait for another attempt at a dead endpoint. */
async function parked({ receiver, size: { rounds, parked: wanted } }) {
  if (wanted === null) return { rows: [], results: null };
  const { count, backlog: size } = wanted;
  const dead = 'http://127.0.0.1:9/dead';
  const hourMs = 60 * 60_000;
  const beside = {
    none: null,
    waiting: { url: dead, count, attempt: 3, dueInMs: (place) => hourMs + ((place * 37) % hourMs) },
  };
  const places = {};
  try {
    for (const [name, wish] of Object.entries(beside)) {
      places[name] = await prepare(`${receiver.url}/hook`);
      const { dataDir, form } = places[name];
      if (wish) await seedDeliveries(dataDir, [{ form, ...wish }]);
      progress(`delivery: parked: seeded ${wish?.count ?? 0} (${name})`);
    }
    const raw = { none: [], waiting: [] };
    for (let i = 0; i < rounds; i += 1) {
      for (const [name, { dataDir, form }] of Object.entries(places)) {
        raw[name].push(await drain(receiver, dataDir, { ...size, form }));
      }
    }
    const ratiosOf = (name) => raw[name].map((one, i) => round(one.perSecond / raw.none[i].perSecond, 3));
    const middle = (name, key) => median(raw[name].map((one) => one[key]));
    const saidOf = (name) =>
      `${median(ratiosOf(name))} of the rate without (${middle(name, 'perSecond')}/s of ` +
      `${middle('none', 'perSecond')}/s); CPU ${middle(name, 'cpuUsPerDelivery')} µs of ${middle('none', 'cpuUsPerDelivery')} µs`;
    progress(`delivery: parked: ${saidOf('waiting')}`);
    const ratio = median(ratiosOf('waiting'));
    return {
      rows: [
        row(
          `beside ${count} rows parked on a dead receiver`,
          saidOf('waiting'),
          `>= ${goals.parked}`,
          ratio >= goals.parked,
        ),
      ],
      results: { ratio, ratios: ratiosOf('waiting'), raw },
    };
  } finally {
    for (const { dataDir } of Object.values(places)) await removeFolder(dataDir);
  }
}

/** Submissions in turns to a form with one webhook and to a form with three, two of which filter them out, on one server. */
async function filtered({ receiver, size: { rounds, filteredSeconds } }) {
  const url = `${receiver.url}/hook`;
  const { dataDir, form: one } = await prepare(url);
  try {
    const inlet = await startInlet(dataDir);
    try {
      const three = await makeForm(inlet, { webhook_url: url });
      for (const topic of ['sales', 'support']) {
        await api(inlet, 'POST', `/api/v1/forms/${three.formId}/destinations`, {
          kind: 'webhook',
          config: { url: `${url}?${topic}` },
          filter: { submission: { data: { topic } } },
        });
      }
      const { inWords, ...results } = await inTurns(inlet, [one, three], {
        rounds,
        seconds: filteredSeconds,
      });
      progress(`delivery: filtered: ${inWords} of the rate with one`);
      const figure = 'submissions with three destinations of which two filter them out';
      return {
        rows: [
          row(
            figure,
            `${inWords} of the rate with one`,
            `>= ${goals.filtered}`,
            results.ratio >= goals.filtered,
          ),
        ],
        results,
      };
    } finally {
      await inlet.end('SIGKILL');
    }
  } finally {
    await removeFolder(dataDir);
  }
}

export async function run({ quick }) {
  const environment = (port) => ({ PORT: String(port), MORE: String(healthyReceivers + 1) });
  const receiver = await start(receiverEntry, [], environment, '/count');
  try {
    const parts = {};
    for (const part of [rate, firstByte, isolation, deadSlack, parked, filtered]) {
      parts[part.name] = await part({ receiver, size: quick ? sizes.quick : sizes.full });
    }
    return {
      rows: Object.values(parts).flatMap((part) => part.rows),
      loadGenerator,
      ...Object.fromEntries(Object.entries(parts).map(([name, { results }]) => [name, results])),
    };
  } finally {
    await client.close();
    await receiver.end('SIGKILL');
  }
}
