/** Inlet cannot be used as a mail bomb: the caps on replies apply across processes, and when one of them dies while sending. */
import { afterEach, expect, it } from 'vitest';
import { client, makeForm, submitJson } from '../support/client.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import { type Cluster, eventually, newCluster } from './cluster.js';

/** REPLY_POSTS=10000 takes a few minutes. */
const posts = Number(process.env.REPLY_POSTS ?? 2_000);
/** Only a hang takes longer, on any machine. */
const waitMs = 120_000 + posts * 150;
const perDay = posts / 10;
const atOnce = 40;

let cluster: Cluster | undefined;
let mails: MailServer | undefined;
afterEach(async () => {
  await cluster?.dispose();
  await mails?.close();
});

it('posts that name strangers send no more replies than the caps allow', {
  timeout: waitMs * 2,
}, async () => {
  mails = await startMailServer();
  const received = mails.mails;
  cluster = await newCluster({
    SMTP_URL: mails.url,
    MAIL_FROM: 'Inlet <inlet@forms.example.com>',
  });
  const [first, second] = [await cluster.start(), await cluster.start()];
  const { formId, publicId } = await makeForm(first.url, {
    form: { autoresponder: { field: 'email', subject: 'Thanks', text: 'Thanks', per_day: perDay } },
  });
  // Every tenth submission names the same address.
  const addressOf = (n: number) =>
    n % 10 === 0 ? 'victim@visitor.example' : `stranger-${n}@visitor.example`;
  let next = 0;
  const post = async () => {
    while (next < posts) {
      const n = next;
      next += 1;
      const { url } = n % 2 === 0 || n > posts / 2 ? first : second;
      const { status, text } = await submitJson(`${url}/f/${publicId}`, { email: addressOf(n) });
      expect(status, text).toBe(200);
      // It dies while mails are on their way that are counted but not yet recorded as sent.
      if (n === posts / 2 + atOnce * 2) await second.end('SIGKILL');
    }
  };
  await Promise.all(Array.from({ length: atOnce }, post));

  const api = client(first.url);
  await eventually(async () => {
    const [today] = (await api.get(`/api/v1/stats?days=1&form_id=${formId}`)).body.days;
    expect(today.received).toBe(posts);
    expect(today.deliveries.waiting).toBe(0);
  }, waitMs);
  const idOf = (raw: string) => /^message-id: *(\S+)/im.exec(raw)?.[1];
  const sent = new Map(received.map(({ raw, to }) => [idOf(raw), to.join()]));
  expect(sent.size).toBeLessThanOrEqual(perDay);
  // Missing are at most the mails that were counted when the process died, but never sent.
  expect(sent.size).toBeGreaterThan(perDay - 20);
  expect([...sent.values()].filter((to) => to === addressOf(0)).length).toBeLessThanOrEqual(3);
  const { days } = (await api.get(`/api/v1/forms/${formId}/suppressed-replies?days=2`)).body;
  const total = days.reduce((sum: number, day: { total: number }) => sum + day.total, 0);
  expect(total).toBeGreaterThan((posts - perDay) / 2);
  const [today] = (await api.get(`/api/v1/stats?days=1&form_id=${formId}`)).body.days;
  expect(today.deliveries).toMatchObject({ failed: 0, waiting: 0 });
  expect(today.deliveries.delivered).toBeLessThanOrEqual(perDay);
});
