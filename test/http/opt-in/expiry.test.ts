/** A confirmation that did not arrive in time. On SQLite: a process cannot be ahead of the clock of a database server. */
import { afterEach, expect, it } from 'vitest';
import { filePart, textPart } from '../../support/bodies.js';
import { client, request } from '../../support/client.js';
import { keptFiles } from '../../support/kept.js';
import { type MailServer, startMailServer } from '../../support/mail-server.js';
import {
  asked,
  confirm,
  confirmationOf,
  idsIn,
  linkFor,
  mailing,
  makeOptInForm,
} from '../../support/opt-in.js';
import { type RunningServer, startServer } from '../../support/server.js';
import { hoursLater } from '../../support/upkeep.js';
import { postMultipart } from '../../support/visitor.js';
import { becomes } from '../../support/webhooks.js';

let server: RunningServer | undefined;
let mails: MailServer | undefined;
afterEach(async () => {
  await server?.dispose();
  await mails?.close();
});

const later = async (before: RunningServer, hours: number, env: Record<string, string>) => {
  await before.end();
  const { dataDir, port } = before;
  server = await startServer({ dataDir, port, env, ...hoursLater(hours) });
  return server;
};

it('expires: the link says so, and the submission is deleted with its files, but not one that is confirmed', async () => {
  mails = await startMailServer();
  const env = mailing(mails);
  server = await startServer({ env });
  const form = await makeOptInForm(server.url, { double_opt_in: { field: 'email', expires_days: 2 } });
  const confirmed = await asked(form, mails, 'confirmed@example.org');
  expect((await confirm(confirmed.link)).status).toBe(200);
  const sent = await postMultipart(
    form.endpoint,
    [textPart('email', 'late@example.org'), filePart('cv', 'cv.txt', 'hello', 'text/plain')],
    { accept: 'application/json' },
  );
  const link = await linkFor(mails, 'late@example.org');
  expect(await keptFiles(server)).toHaveLength(1);

  // Expired half an hour ago: it still exists, but cannot be confirmed.
  let now = await later(server, 48.5, env);
  for (const answer of [await request(link), await confirm(link)]) {
    expect(answer.status).toBe(410);
    expect(answer.text).toContain('This link has expired');
  }
  expect((await confirmationOf(now.url, sent.body.submission_id)).state).toBe('unconfirmed');

  now = await later(now, 50, env);
  const api = client(now.url);
  await becomes(
    async () => (await api.get(`/api/v1/submissions/${sent.body.submission_id}`)).status,
    (status) => status === 404,
  );
  await becomes(
    () => keptFiles(now),
    (files) => files.length === 0,
  );
  expect((await request(link)).text).toContain('This link has expired');
  expect(await idsIn(api, `/api/v1/forms/${form.formId}/submissions?folder=all`)).toEqual([confirmed.id]);
  expect((await api.get(`/api/v1/forms/${form.formId}`)).body.submissions_count).toBe(1);
  expect((await request(confirmed.link)).text).toContain('Already confirmed');
});
