/** Sabotages of the delivery engine. */
const model = 'src/model/delivery.ts';
const dispatcher = 'src/domain/webhooks/dispatcher.ts';
const lanes = 'src/domain/webhooks/lanes.ts';
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
        file: 'src/adapters/sql/queue.ts',
        find: 'lease_owner = NULL, reclaims = 0\n  WHERE id = ? AND lease_token = ?`;',
        put: 'lease_owner = NULL, reclaims = 0\n  WHERE id = ? AND ? IS NOT NULL`;',
      },
    ],
    test: { file: store, name: 'counts for nothing with a token that is not the row' },
    because: /AssertionError/,
  },
  {
    name: 'claim-does-not-hold',
    breaks: 'A delivery that one process has claimed is given to nobody else',
    patches: [
      {
        file: 'src/adapters/sql/sqlite.ts',
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
        find: 'delays[delivery.attempt] : undefined;',
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
        find: "end === 'failed' && delivery.trigger",
        put: "end !== 'cancelled' && delivery.trigger",
      },
    ],
    test: { file: schedule, name: 'takes 200 for a success at once' },
    because: /AssertionError|timed out/,
  },
  {
    name: 'wake-up-alone',
    breaks: 'A wake-up that never came costs two seconds, not the delivery',
    patches: [{ file: dispatcher, find: 'const pollMs = 2_000;', put: 'const pollMs = 3_600_000;' }],
    test: simulation,
    because: /SIM_SEED=\d+/,
  },
  {
    name: 'results-dropped-in-an-outage',
    breaks: 'A result that cannot be recorded is kept and recorded later',
    patches: [{ file: dispatcher, find: '        records = [...ending.records, ...records];\n', put: '' }],
    test: simulation,
    because: /SIM_SEED=\d+/,
  },
  {
    name: 'lost-claim-waits-for-its-lease',
    breaks: 'A claim whose answer was lost is given up at once, not when its lease ends',
    patches: [
      {
        file: dispatcher,
        find: 'unheard = [...unheard, ...claims].slice(-maxUnheard);',
        put: 'unheard = claims.slice(0, 0);',
      },
    ],
    test: simulation,
    because: /is leased, and nobody sends it/,
  },
  {
    name: 'sent-twice-side-by-side',
    breaks: 'What is under way is not sent a second time beside it',
    patches: [
      {
        file: dispatcher,
        find: 'if (own && held.isSameAttempt(own, delivery)) held.adopt(own, token);\n',
        put: 'if (own && held.isSameAttempt(own, delivery) && false) held.adopt(own, token);\n',
      },
      { file: dispatcher, find: 'else if (own) giveUp(one, now + unmadeDelayMs);', put: '' },
    ],
    test: simulation,
    because: /SIM_SEED=\d+/,
  },
  {
    name: 'clock-step-stops-it',
    breaks: 'A clock that is set back stops no delivery',
    patches: [
      {
        file: dispatcher,
        find: '(begunAt - polledAt >= pollMs || begunAt < polledAt)',
        put: 'begunAt - polledAt >= pollMs',
      },
    ],
    test: simulation,
    because: /was never attempted/,
  },
  {
    name: 'hanging-receivers-take-all',
    breaks: 'Receivers that hang leave places for those that do not',
    patches: [
      {
        file: lanes,
        find: "    if (standing !== 'proven' && this.#unproven <= 0) return false;\n    if (standing === 'hanging' && this.#hanging <= 0) return false;\n",
        put: '',
      },
      { file: lanes, find: 'limit: receiver?.limit ?? 1,', put: 'limit: receiver?.limit ?? 8,' },
      { file: lanes, find: "limit: 1, standing: 'unknown'", put: "limit: 8, standing: 'unknown'" },
      { file: lanes, find: 'receiver.limit = 1;', put: 'receiver.limit = 8;' },
    ],
    test: simulation,
    because: /waited \d+ ms beside \d+ that hang/,
  },
  {
    name: 'dead-process-keeps-its-leases',
    breaks: 'After a crash and a restart its deliveries go on at once',
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
    breaks: 'A crash uses up no attempt',
    patches: [
      {
        file: 'src/adapters/sql/queue.ts',
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
    breaks: 'The signature is over the very bytes that are sent',
    patches: [
      {
        file: 'src/domain/webhooks/sign.ts',
        find: "'x-webhook-signature': hex(keys.current, body),",
        put: "'x-webhook-signature': hex(keys.current, JSON.stringify(JSON.parse(body), null, 1)),",
      },
    ],
    test: { file: request, name: 'the request is a POST with the headers of the interface' },
    because: /sha256=/,
  },
  {
    name: 'body-not-frozen',
    breaks: 'All attempts carry the same bytes',
    patches: [
      {
        file: 'src/domain/webhooks/attempt.ts',
        find: 'body: delivery.body,',
        put: 'body: JSON.stringify({ ...JSON.parse(delivery.body), timestamp: new Date(deps.clock.now()).toISOString() }),',
      },
    ],
    test: { file: request, name: 'all attempts carry the same bytes and the same id, and count' },
    because: /AssertionError/,
  },
  {
    name: 'mail-given-up-in-an-outage',
    breaks: 'A mail server that is down delays mails and loses none',
    patches: [
      {
        file: 'src/domain/mail/dispatcher.ts',
        find: 'const delay = outcome.permanent ? undefined : mailDelaysMs[mail.attempt];',
        put: 'const delay = mailDelaysMs[99];',
      },
    ],
    test: { file: 'src/domain/mail/dispatcher.test.ts', name: 'loses nothing over an outage' },
    because: /AssertionError/,
  },
];
