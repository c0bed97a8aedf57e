/**
 * A database of the schema in which webhooks and mails had separate queues, with deliveries and mails in every state. Afterwards all of
 * them are deliveries, each once, and what was waiting arrives once.
 */
import { afterEach, expect, it } from 'vitest';
import { client, makeForm } from '../support/client.js';
import { changeStored, storedRows } from '../support/engine.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import { type Receiver, refusingUrl, startAnswering } from '../support/receivers.js';
import { type RunningServer, startServer } from '../support/server.js';
import {
  becomes,
  deliveriesOf,
  deliveryBecomes,
  isWaiting,
  startHookServer,
  submit,
} from '../support/webhooks.js';
import { schemaEleven } from './taken-back.js';

/** Also takes back migration 11. */
const schemaTen = `
  ${schemaEleven()}
  DROP TABLE destinations;
  DROP INDEX deliveries_queue;
  DROP INDEX deliveries_of_before;
  UPDATE deliveries SET queue = queue - 4;
  ALTER TABLE deliveries DROP COLUMN destination_id;
  ALTER TABLE deliveries DROP COLUMN kind;
  ALTER TABLE deliveries DROP COLUMN lane;
  ALTER TABLE deliveries DROP COLUMN held_until;
  ALTER TABLE deliveries DROP COLUMN extra_attempts;
  ALTER TABLE deliveries DROP COLUMN resume_at;
  ALTER TABLE submissions DROP COLUMN skipped_destinations;
  ALTER TABLE replays DROP COLUMN destination_id;
  ALTER TABLE replays DROP COLUMN filter;
  CREATE INDEX deliveries_queue ON deliveries (url, queue, next_attempt_at, id) WHERE state = 'pending';
  DELETE FROM schema_migrations WHERE number > 10;
`;

/** The state of each delivery. `leased`: a process that has died was sending it. */
const webhooks = {
  fresh: 'attempt = 0, queue = 1, next_attempt_at = 1',
  retried: 'attempt = 3, queue = 2, next_attempt_at = 1',
  byHand: `"trigger" = 'manual', attempt = 2, queue = 0, next_attempt_at = 1`,
  leased: "attempt = 1, queue = 2, next_attempt_at = 2, lease_token = 'theirs', lease_owner = 'gone'",
  failed: "state = 'failed', attempt = 5, queue = 2, next_attempt_at = NULL",
  delivered: "state = 'delivered', attempt = 1, queue = 2, next_attempt_at = NULL",
} as const;
const arriving = ['fresh', 'retried', 'byHand', 'leased'] as const;

/** state, attempt, next_attempt_at, lease_token, lease_owner, error */
const mails = {
  fresh: "'pending', 0, 1, NULL, NULL, NULL",
  retried: "'pending', 2, 1, NULL, NULL, '451 later'",
  leased: "'pending', 0, 2, 'theirs', 'gone', NULL",
  failed: "'failed', 1, NULL, NULL, NULL, '550 no such user'",
  delivered: "'sent', 1, NULL, NULL, NULL, NULL",
} as const;
const mailed = ['fresh', 'retried', 'leased'] as const;

let server: RunningServer | undefined;
let receiver: Receiver | undefined;
let mailServer: MailServer | undefined;
afterEach(async () => {
  await server?.dispose();
  await receiver?.close();
  await mailServer?.close();
});

it('deliveries and mails of schema 10 become deliveries, each once, and what waited arrives once', async () => {
  const url = await refusingUrl();
  server = await startHookServer({ WEBHOOK_RETRY_DELAYS: '600,600,600,600' });
  const { dataDir, port } = server;
  const { endpoint, formId } = await makeForm(server.url, { form: { webhook_url: url } });
  const ids = new Map<string, string>();
  for (const name of Object.keys(webhooks)) {
    const id = await submit(endpoint, { name });
    await deliveryBecomes(client(server.url), id, isWaiting);
    ids.set(name, id);
  }
  expect(await server.end()).toBe(0);

  // From here on, this program writes nothing.
  const changes = [...ids].map(([name, id]) => {
    const change = webhooks[name as keyof typeof webhooks];
    return `UPDATE deliveries SET ${change} WHERE submission_id = '${id}';`;
  });
  const inserts = Object.entries(mails).map(
    ([name, values], i) => `INSERT INTO mails
      (id, submission_id, form_id, recipient, created_at, state, attempt, next_attempt_at, lease_token, lease_owner, error)
      SELECT '0${i}' || substr(id, 3), id, form_id, '${name}@example.com', created_at, ${values}
      FROM submissions WHERE id = '${ids.get('fresh')}';`,
  );
  await changeStored(dataDir, `${schemaTen} ${changes.join('\n')} ${inserts.join('\n')}`);

  receiver = await startAnswering({}, { port: Number(new URL(url).port) });
  mailServer = await startMailServer();
  server = await startServer({
    dataDir,
    port,
    env: {
      SMTP_URL: mailServer.url,
      MAIL_FROM: 'inlet@forms.example.com',
      API_RATE_LIMIT_PER_MINUTE: '1000000',
    },
  });
  const api = client(server.url);
  const seen = async () => {
    const all = await Promise.all([...ids.values()].map((id) => deliveriesOf(api, id)));
    return all.flat();
  };
  const [got, told] = [receiver, mailServer];
  const deliveries = await becomes(
    seen,
    (all) => all.length === 11 && all.every(({ state }) => state !== 'pending'),
  );
  expect(new Set(deliveries.map(({ id }) => id)).size).toBe(11);
  const statesOf = (isMail: boolean) =>
    deliveries.filter((one) => one.url.includes('@') === isMail).map(({ state }) => state);
  expect(statesOf(false).sort()).toEqual([...arriving.map(() => 'delivered'), 'delivered', 'failed']);
  expect(statesOf(true).sort()).toEqual([...mailed.map(() => 'delivered'), 'delivered', 'failed']);
  const numbers = Object.fromEntries(deliveries.map((one) => [one.url, one.attempts.at(-1)?.number]));
  expect(numbers).toMatchObject({
    'fresh@example.com': 1,
    'retried@example.com': 3,
    'failed@example.com': 1,
  });
  const refused = deliveries.find((one) => one.url === 'failed@example.com');
  expect(refused?.attempts).toMatchObject([{ error: '550 no such user' }]);
  expect((await api.get(`/api/v1/forms/${formId}/submissions`)).body.data).toHaveLength(6);

  // Nothing follows once the server has stopped, so each was sent once.
  expect(await server.end()).toBe(0);
  const received = got.requests.map(({ headers }) => headers.get('x-submission-id')).sort();
  expect(received).toEqual(arriving.map((name) => ids.get(name)).sort());
  expect(told.mails.flatMap(({ to }) => to).sort()).toEqual(
    mailed.map((name) => `${name}@example.com`).sort(),
  );
  expect(await storedRows(dataDir, 'SELECT id FROM mails')).toEqual([]);
});
