/** What must hold after a soak. Each check says what was checked, what was found, and whether it holds (null: not judged). */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { wordOf } from '../load/mixed-load.mjs';
import { quantile, round } from '../numbers.mjs';
import { api, apiKey } from '../servers/processes.mjs';
import { slopeOf } from './samples.mjs';

const limits = {
  growthMiB: 24,
  heapGrowthMiB: 12,
  descriptorGrowth: 24,
  walMiB: 72,
  queueAgeSeconds: 60,
  judgedFromSeconds: 180,
  /** A new process first fills its caches, 32 MiB for each of three database connections. */
  settledAfterSeconds: 300,
  spotChecks: 20,
};

const check = (name, found, holds) => ({ name, found, holds });

/** All submissions of a form that the server lists. */
async function listed(server, formId) {
  const all = new Map();
  let cursor = '';
  do {
    const page = await api(server, 'GET', `/api/v1/forms/${formId}/submissions?limit=100${cursor}`);
    for (const submission of page.data) all.set(submission.id, submission);
    cursor = page.next_cursor === null ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`;
  } while (cursor !== '');
  return all;
}

function someOf(list, count) {
  const step = Math.max(1, Math.floor(list.length / count));
  return list.filter((_, i) => i % step === 0).slice(0, count);
}

async function fileIsWhole(server, { id, sha256 }) {
  const { url } = await fetch(`${server.url}/api/v1/files/${id}/download`, {
    headers: { authorization: `Bearer ${apiKey}` },
    redirect: 'manual',
  }).then((answer) => ({ url: answer.headers.get('location') }));
  if (!url) return false;
  const content = await fetch(new URL(url, server.url));
  if (!content.ok) return false;
  return (
    createHash('sha256')
      .update(Buffer.from(await content.arrayBuffer()))
      .digest('hex') === sha256
  );
}

/** Polls until `endsAt`, because the index follows within seconds. */
async function isFound(server, { form, clientId, id }, endsAt) {
  for (;;) {
    const path = `/api/v1/forms/${form.formId}/submissions?q=${wordOf(clientId)}`;
    const { data } = await api(server, 'GET', path);
    if (data.some((submission) => submission.id === id)) return true;
    if (performance.now() > endsAt) return false;
    await pause(200);
  }
}

export async function checkLedger({ server, forms, ledger }) {
  const stored = new Map();
  for (const form of forms)
    for (const [id, submission] of await listed(server, form.formId)) stored.set(id, submission);
  const sure = [...ledger.kept.values()].filter(({ id }) => !ledger.unsure.has(id));
  const lost = sure.filter(({ id }) => !stored.has(id));
  const changed = sure.filter(
    ({ id, clientId }) => stored.has(id) && stored.get(id).data.client_id !== clientId,
  );
  const undead = [...ledger.deleted].filter((id) => stored.has(id));
  const clients = [...stored.values()].map((submission) => submission.data.client_id);
  const twice = clients.length - new Set(clients).size;
  const withFile = someOf(
    sure.filter(({ file }) => file !== null),
    limits.spotChecks,
  );
  const broken = [];
  for (const { file } of withFile) if (!(await fileIsWhole(server, file))) broken.push(file.id);
  const searchedUntil = performance.now() + 30_000;
  const unfound = [];
  for (const one of someOf(sure, limits.spotChecks))
    if (!(await isFound(server, one, searchedUntil))) unfound.push(one.id);
  return [
    check(
      'every acknowledged submission is there, unless its deletion was acknowledged',
      `${ledger.count()} acknowledged, ${ledger.deleted.size} deleted again, ${ledger.unsure.size} unsure, ${sure.length} looked for: ${lost.length} lost, ${changed.length} changed`,
      lost.length + changed.length === 0,
    ),
    check(
      'what was deleted is gone',
      `${undead.length} of ${ledger.deleted.size} still there`,
      undead.length === 0,
    ),
    check('nothing is there twice', `${twice} twice`, twice === 0),
    check(
      'files come back as they were sent',
      `${broken.length} of ${withFile.length} differ`,
      broken.length === 0,
    ),
    check('the search finds what was sent', `${unfound.length} not found`, unfound.length === 0),
  ];
}

/** Delivery is at least once: more often is allowed, and reported. */
export function checkDeliveries({ healthy: due, receivers }) {
  const missing = due.filter(({ id }) => !receivers.arrived.has(id));
  const waits = due
    .filter(({ id }) => receivers.arrived.has(id))
    .map(({ id, at }) => Math.max(0, receivers.arrived.get(id).at - at));
  const repeated = [...receivers.arrived.values()].filter(({ times }) => times > 1).length;
  const p99 = waits.length === 0 ? 0 : quantile(waits, 0.99);
  return check(
    'every webhook to the healthy receiver arrived at least once',
    `${due.length} due: ${missing.length} missing, ${repeated} more than once, p99 ${round(p99, 0)} ms after the answer`,
    missing.length === 0 && due.length > 0,
  );
}

export function checkAnswers({ answers, leftOut }) {
  const entries = Object.entries(answers);
  const bad = entries.filter(([name]) => / 5\d\d$/.test(name) && !name.endsWith(' 503'));
  const pressed = answers['503 without Retry-After'] ?? 0;
  const unexpected = entries.filter(([name]) => / (400|401|403|404|405|409|413|415|422)$/.test(name));
  const sum = (list) => list.reduce((total, [, count]) => total + count, 0);
  return [
    check(
      'no answer of 500 or above, but 503 with Retry-After',
      `${sum(bad)} others, ${pressed} of 503 without Retry-After`,
      sum(bad) + pressed === 0,
    ),
    check(
      'every request is answered, but for restarts',
      `${answers['no answer outside of restarts'] ?? 0} without an answer outside of restarts`,
      (answers['no answer outside of restarts'] ?? 0) === 0,
    ),
    check(
      'nothing refused that is right',
      unexpected.length === 0 ? 'none' : unexpected.map(([name, count]) => `${name}: ${count}`).join(', '),
      // An image may be deleted between its upload and the request for its variant.
      unexpected.every(([name]) => /^variant/.test(name)),
    ),
    check('requests that did not leave, because too many were under way', `${leftOut}`, null),
  ];
}

/** The lowest value in each of `count` windows: what remains after garbage collection. */
function floors(points, from, endAt, count) {
  const least = new Map();
  for (const [at, value] of points) {
    // The last moment belongs to the last window: in its own window, it would not be a floor.
    const window = Math.min(count - 1, Math.floor(((at - from) / (endAt - from)) * count));
    const before = least.get(window);
    if (before === undefined || value < before[1]) least.set(window, [at, value]);
  }
  return [...least.values()];
}

/**
 * Judges the second half, without restarts; for resident memory, only the part after the caches are full. Resident memory is
 * judged without V8's heap, whose garbage would hide growth or look like it. Of the heap, only what is in use counts.
 */
export function checkResources({ samples, restarts, halfAt, endAt }) {
  const growth = (name, from = halfAt) => {
    const part = samples.filter(({ at }) => at >= from && at <= endAt);
    const seconds = Math.max(0, endAt - from);
    const points = part.map((sample) => [sample.at, sample[name]]);
    // Few enough windows that each includes a full garbage collection.
    const perSecond = slopeOf(floors(points, from, endAt, 8));
    return { seconds, over: perSecond * seconds, perHour: perSecond * 3600 };
  };
  const most = (list, name) => list.reduce((high, sample) => Math.max(high, sample[name] ?? 0), 0);
  const told = ({ seconds, over, perHour }, unit) =>
    `${round(over, 1)} ${unit} in ${round(seconds / 60, 1)} min, ${round(perHour, 1)} ${unit} an hour`;
  const judged = ({ seconds }, holds) => (seconds >= limits.judgedFromSeconds ? holds : null);
  const settledAt = halfAt + limits.settledAfterSeconds;
  const isSettled = endAt - settledAt >= limits.judgedFromSeconds;
  const settledFrom = isSettled ? settledAt : halfAt;
  const besideHeap = growth('besideHeapMiB', settledFrom);
  const heap = growth('heapMiB');
  const descriptors = growth('descriptors');
  const wal = most(samples, 'walMiB');
  const age = most(samples, 'queueAgeSeconds');
  // Nothing is sent while the server is down.
  const awaySeconds = restarts.reduce((sum, restart) => sum + restart.awaySeconds, 0);
  return [
    check(
      `resident memory beside the heap grows by less than ${limits.growthMiB} MiB, from ${limits.settledAfterSeconds / 60} minutes into the second half on`,
      told(besideHeap, 'MiB') + (isSettled ? '' : '; caches still fill, a longer soak tells'),
      isSettled ? besideHeap.over < limits.growthMiB : null,
    ),
    check(
      'resident memory in all',
      `${told(growth('rssMiB', settledFrom), 'MiB')}; at most ${most(samples, 'rssMiB')} MiB`,
      null,
    ),
    check(
      `the heap grows by less than ${limits.heapGrowthMiB} MiB over the second half`,
      told(heap, 'MiB'),
      judged(heap, heap.over < limits.heapGrowthMiB),
    ),
    check(
      `descriptors grow by less than ${limits.descriptorGrowth} over the second half`,
      `${told(descriptors, '')}; at most ${most(samples, 'descriptors')}`,
      judged(descriptors, descriptors.over < limits.descriptorGrowth),
    ),
    check(`the write-ahead log stays under ${limits.walMiB} MiB`, `at most ${wal} MiB`, wal < limits.walMiB),
    check(
      `no webhook is due for more than ${limits.queueAgeSeconds} s and the time of the restarts`,
      `at most ${age} s; restarts took ${round(awaySeconds, 1)} s`,
      age < limits.queueAgeSeconds + awaySeconds,
    ),
    check(
      'the event loop',
      `held up at most ${most(samples, 'loopMs')} ms, by our own work ${most(samples, 'loopWorkMs')} ms, by garbage ${most(samples, 'loopGcMs')} ms`,
      null,
    ),
  ];
}
