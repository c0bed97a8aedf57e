/**
 * The server dies without warning while it creates and sends digests, at a different moment each time. Every submission is in exactly one
 * digest: none is lost, and a mail that is sent twice has the same Message-ID.
 */
import { setTimeout as pause } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { client, makeForm } from '../support/client.js';
import { setDatabaseForward } from '../support/engine.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import { runSeed, seeded } from '../support/seeded.js';
import { type RunningServer, startServer } from '../support/server.js';
import { hoursLater } from '../support/upkeep.js';
import { becomes, submit } from '../support/webhooks.js';

const kills = Number(process.env.CRASH_CYCLES ?? 6);
/** After the start the server looks for due digests every two seconds. */
const longestMs = 3_000;

let mails: MailServer;
let server: RunningServer;
beforeAll(async () => {
  mails = await startMailServer();
});
afterAll(async () => {
  await server.dispose();
  await mails.close();
});

// Starts the server eight times.
it('every submission is in one digest, whenever the server dies', { timeout: 600_000 }, async () => {
  const chance = seeded(runSeed());
  const env = { SMTP_URL: mails.url, MAIL_FROM: 'inlet@forms.example.com' };
  server = await startServer({ env });
  const { dataDir } = server;
  const submitted: string[] = [];
  const forms = await Promise.all(Array.from({ length: 20 }, () => makeForm(server.url)));
  for (const form of forms) {
    const body = { kind: 'email', config: { to: ['a@x.test'], digest: { every: 'hour', time_zone: 'UTC' } } };
    const made = await client(server.url).post(`/api/v1/forms/${form.formId}/destinations`, body);
    expect(made.status).toBe(201);
  }
  for (const form of forms)
    for (let n = 0; n < 3; n += 1) submitted.push(await submit(form.endpoint, { name: `Visitor ${n}` }));
  await server.end();
  // PostgreSQL has its own clock, which the servers follow.
  await setDatabaseForward(dataDir, 2 * 3_600_000);
  for (let kill = 0; kill < kills; kill += 1) {
    server = await startServer({ ...hoursLater(2), env, dataDir });
    await pause(chance.between(0, longestMs));
    await server.end('SIGKILL');
  }
  server = await startServer({ ...hoursLater(2), env, dataDir });
  const digestsOf = async () => {
    const parsed = await Promise.all(mails.mails.map(({ raw }) => PostalMime.parse(raw)));
    return new Map(parsed.map(({ messageId, text }) => [messageId, text ?? '']));
  };
  const digests = await becomes(digestsOf, (all) => all.size >= forms.length);
  const texts = [...digests.values()];
  expect(submitted.map((id) => texts.filter((text) => text.includes(id)).length)).toEqual(
    submitted.map(() => 1),
  );
  expect(digests.size).toBe(forms.length);
});
