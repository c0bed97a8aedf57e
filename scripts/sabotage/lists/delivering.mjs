/** Sabotages of the delivery engine. */
const model = 'src/model/delivery.ts';
const dispatcher = 'src/domain/sending/dispatcher.ts';
const claims = 'src/domain/sending/claims.ts';
const lanes = 'src/domain/sending/lanes.ts';
const membership = 'src/domain/processes/membership.ts';
const store = 'test/contracts/store/store-sqlite.test.ts';
const simulation = {
  file: 'test/simulation/dispatcher.test.ts',
  name: 'loses nothing, is never early and keeps receivers apart',
  env: { SIM_SEEDS: '300' },
};
const schedule = 'test/http/webhooks/schedule.test.ts';
const request = 'test/http/webhooks/request.test.ts';

export const delivering = [
  {
    name: 'lost-lease-still-records',
    breaks: 'A result counts only while the lease holds (fencing token)',
    patches: [
      {
        file: 'src/adapters/sql/rows/queue.ts',
        find: 'lease_owner = NULL, reclaims = 0\n  WHERE id = ? AND lease_token = ?`;',
        put: 'lease_owner = NULL, reclaims = 0\n  WHERE id = ? AND ? IS NOT NULL`;',
      },
    ],
    test: { file: store, name: 'counts for nothing with a token that is not the row' },
    because: /AssertionError/,
  },
  {
    name: 'claim-does-not-hold',
    breaks: 'A claimed delivery is given to no other process',
    patches: [
      {
        file: 'src/adapters/sql/sqlite/sqlite.ts',
        find: 'UPDATE deliveries SET lease_token = ?, lease_owner = ?, next_attempt_at = ?,',
        put: 'UPDATE deliveries SET lease_token = ?, lease_owner = ?, next_attempt_at = min(next_attempt_at, ?),',
      },
    ],
    test: { file: store, name: 'gives each row to one of many who want the same rows at once' },
    because: /AssertionError/,
  },
  {
    name: 'sixth-attempt',
    breaks: 'There are five automatic attempts',
    patches: [
      {
        file: model,
        find: 'delays[delivery.attempt - delivery.extraAttempts] : undefined;',
        put: 'delays[Math.min(delivery.attempt, delays.length - (delivery.attempt > delays.length ? 0 : 1))] : undefined;',
      },
    ],
    test: { file: schedule, name: 'is tried five times, numbered, and then no more' },
    because: /AssertionError|timed out/,
  },
  {
    name: 'attempt-too-early',
    breaks: 'No attempt before its time',
    patches: [
      {
        file: model,
        find: 'Math.ceil(delay * (1 + jitter / 10))',
        put: 'Math.ceil(delay * (0.95 + jitter / 10))',
      },
    ],
    test: simulation,
    because: /comes after \d+ ms instead of \d+/,
  },
  {
    name: 'sent-again-after-success',
    breaks: 'After a 2xx nothing more is sent',
    patches: [
      {
        file: model,
        find: "if (end === 'succeeded') return",
        put: "if (end === 'succeeded' && delivery.attempt > 0) return",
      },
      {
        file: model,
        find: "if (end !== 'failed' || dueAt === null",
        put: "if (end === 'cancelled' || dueAt === null",
      },
    ],
    test: { file: schedule, name: 'takes 200 for a success at once' },
    because: /AssertionError|timed out/,
  },
  {
    name: 'wake-up-alone',
    breaks: 'A lost wake-up costs two seconds, not the delivery',
    patches: [{ file: dispatcher, find: 'const pollMs = 2_000;', put: 'const pollMs = 3_600_000;' }],
    test: simulation,
    because: /SIM_SEED=\d+/,
  },
  {
    name: 'results-dropped-in-an-outage',
    breaks: 'A result that cannot be recorded is recorded later',
    patches: [{ file: claims, find: 'this.#ended = [...ended, ...this.#ended];', put: '' }],
    test: simulation,
    because: /SIM_SEED=\d+/,
  },
  {
    name: 'lost-claim-waits-for-its-lease',
    breaks: 'A claim whose response was lost is released immediately, not when its lease expires',
    patches: [
      {
        file: claims,
        find: '[...this.#unconfirmed, ...claims].slice(-maxUnconfirmed);',
        put: 'claims.slice(0, 0);',
      },
    ],
    test: simulation,
    because: /is leased, and nobody sends it/,
  },
  {
    name: 'sent-twice-side-by-side',
    breaks: 'A delivery in progress is not sent a second time in parallel',
    patches: [
      {
        file: dispatcher,
        find: 'if (own && isSameAttempt(own, claim.delivery)) adopt(own, claim.token);\n',
        put: 'if (own && isSameAttempt(own, claim.delivery) && false) adopt(own, claim.token);\n',
      },
      { file: dispatcher, find: 'else if (own) this.#release(claim, now + unmadeDelayMs);', put: '' },
    ],
    test: simulation,
    because: /SIM_SEED=\d+/,
  },
  {
    name: 'clock-step-stops-it',
    breaks: 'Setting the clock back stops no delivery',
    patches: [
      {
        file: dispatcher,
        find: '(now - this.#polledAt >= pollMs || now < this.#polledAt)',
        put: 'now - this.#polledAt >= pollMs',
      },
    ],
    test: simulation,
    because: /was never attempted/,
  },
  {
    name: 'hanging-receivers-take-all',
    breaks: 'Endpoints that hang leave places for those that do not',
    patches: [
      {
        file: lanes,
        find: "    if (standing !== 'proven' && this.#unproven >= limits.unproven) return false;\n    if (standing === 'hanging' && this.#hanging >= limits.hanging) return false;\n",
        put: '',
      },
      { file: lanes, find: "limit: 1, standing: 'unknown'", put: "limit: 8, standing: 'unknown'" },
      {
        file: lanes,
        find: "if (health === 'unresponsive') return 1;",
        put: "if (health === 'unresponsive') return 8;",
      },
    ],
    test: simulation,
    because: /waited \d+ ms beside \d+ that hang/,
  },
  {
    name: 'dead-process-keeps-its-leases',
    breaks: 'After a crash and a restart, deliveries continue immediately',
    patches: [
      {
        file: membership,
        find: 'deps.onFreed(await store.queue.recover(null, now));',
        put: 'deps.onFreed(0);',
      },
    ],
    test: {
      file: 'test/http/webhooks/stop.test.ts',
      name: 'SIGKILL with sends in flight: they are made again, as attempt 1',
    },
    because: /timed out|AssertionError/,
  },
  {
    name: 'crash-uses-up-an-attempt',
    breaks: 'A crash does not use up an attempt',
    patches: [
      {
        file: 'src/adapters/sql/rows/queue.ts',
        find: "        lease_token: null,\n        lease_owner: null,\n        reclaims: e('reclaims', '+', 1),",
        put: "        lease_token: null,\n        lease_owner: null,\n        attempt: e('attempt', '+', 1),\n        reclaims: e('reclaims', '+', 1),",
      },
    ],
    test: {
      file: 'test/crash/delivery.test.ts',
      name: 'before-record: the webhook arrives 2 time(s), as attempt 1',
    },
    because: /AssertionError/,
  },
  {
    name: 'signature-over-another-body',
    breaks: 'The signature covers exactly the bytes that are sent',
    patches: [
      {
        file: 'src/adapters/destinations/webhook-signature.ts',
        find: "'x-webhook-signature': hex(keys.current, body),",
        put: "'x-webhook-signature': hex(keys.current, JSON.stringify(JSON.parse(body), null, 1)),",
      },
    ],
    test: { file: request, name: 'the request is a POST with the headers of the interface' },
    because: /sha256=/,
  },
  {
    name: 'body-not-frozen',
    breaks: 'All attempts send the same bytes',
    patches: [
      {
        file: 'src/domain/sending/attempt.ts',
        find: 'const { id, submissionId, body, trigger } = delivery;',
        put: 'const { id, submissionId, trigger } = delivery;\n    const body = JSON.stringify({ ...JSON.parse(delivery.body), timestamp: new Date(at).toISOString() });',
      },
    ],
    test: { file: request, name: 'all attempts carry the same bytes and the same id, and count' },
    because: /AssertionError/,
  },
  {
    name: 'manual-failure-ends-the-schedule',
    breaks: 'A manual retry that fails leaves the schedule of a waiting delivery as it was',
    patches: [
      {
        file: model,
        find: 'delay === undefined ? delivery.resumeAt : endedAt',
        put: 'delay === undefined ? null : endedAt',
      },
    ],
    test: simulation,
    because: /failed after \d automatic attempts/,
  },
  {
    name: 'retry-after-ignored',
    breaks: 'An endpoint that asks to be left alone is left alone for that long',
    patches: [
      {
        file: model,
        find: 'nextAttemptAt: Math.max(dueAt, heldUntil ?? 0), heldUntil',
        put: 'nextAttemptAt: dueAt, heldUntil',
      },
    ],
    test: simulation,
    because: /comes after \d+ ms instead of \d+/,
  },
  {
    name: 'old-process-finds-mails',
    breaks: 'During a rolling upgrade, processes of the previous release do not claim what they cannot send',
    patches: [
      {
        file: model,
        find: 'manual: 4, first: 5, later: 6, replay: 7',
        put: 'manual: 0, first: 1, later: 2, replay: 3',
      },
    ],
    test: {
      file: store,
      name: 'are not found until they are taken in, each into the lane of its destination',
    },
    because: /AssertionError/,
  },
  {
    name: 'mail-given-up-in-an-outage',
    breaks: 'An unavailable mail server delays mails but loses none',
    patches: [
      {
        file: 'src/adapters/destinations/email/email.ts',
        find: "permanent ? 'rejected' : 'failed'",
        put: "'rejected'",
      },
    ],
    test: { file: 'test/simulation/mails.test.ts', name: 'loses nothing over an outage' },
    because: /AssertionError/,
  },
];
