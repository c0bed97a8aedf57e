/** Over a real mail server, which refuses with SMTP replies instead of HTTP statuses. */

import { buffer } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import { expect } from 'vitest';
import { createEmail } from '../../src/adapters/destinations/email/email.js';
import { createSmtpMailer } from '../../src/adapters/mailer/smtp.js';
import type { Mailer } from '../../src/ports/mailer.js';
import { onlyNotifications } from '../support/composers.js';
import type { Conduct, Provider } from '../support/fakes/provider.js';
import { answer, startMailServer } from '../support/mail-server.js';
import type { ReceivedRequest } from '../support/receivers.js';
import { described, destinationKindContract } from './destination-kind.js';

const password = 'correct-horse-battery';
/** Mailers by the server they send to. */
const mailers = new Map<string, Mailer[]>();

/** A mail as its reader sees it: without the date and the boundaries, which differ for each attempt. */
async function readMail(raw: Buffer): Promise<object> {
  const { headers, messageId, subject, to, cc, text, html } = await PostalMime.parse(raw);
  return { headers: headers.map(({ key }) => key), messageId, subject, to, cc, text, html };
}

/** The reply that ends a mail. Returns null when the server accepts it. */
function refusalOf(conduct: Exclude<Conduct, 'hangs'>, all: string): Error | null {
  if (conduct === 'honest') return null;
  if (conduct === 'echoes') return answer(550, all);
  return answer(conduct.status ?? 250, String(conduct.body ?? ''));
}

async function startProvider(): Promise<Provider> {
  const requests: ReceivedRequest[] = [];
  let conduct: Conduct = 'honest';
  const server = await startMailServer({
    authOptional: false,
    onAuth: ({ username, password: given }, _, callback) =>
      given === password ? callback(null, { user: String(username) }) : callback(answer(535, 'no')),
    async onData(stream, { envelope: { rcptTo } }, callback) {
      const raw = await buffer(stream);
      const path = rcptTo.map(({ address }) => address).join();
      const body = Buffer.from(JSON.stringify(await readMail(raw)));
      requests.push({ method: 'SMTP', path, headers: new Map(), body, connection: 1 });
      if (conduct === 'hangs') return;
      const plain = Buffer.from(`\0inlet\0${password}`).toString('base64');
      callback(refusalOf(conduct, `SMTP ${path} inlet ${password} ${plain} ${body}`));
    },
  });
  const origin = server.url.replace('//', `//inlet:${password}@`);
  return {
    origin,
    requests,
    behave: (next) => {
      conduct = next;
    },
    close: async () => {
      await Promise.all((mailers.get(origin) ?? []).map((mailer) => mailer.close()));
      await server.close();
    },
  };
}

/** Layout only: long words may break, and empty values are marked as such. */
const inert = new Set(['<span', '<wbr', '<br']);

/** The headers of a mail, and everything in its HTML besides text. */
function activeInMail(body: string): readonly string[] {
  const { headers, to, cc, html } = JSON.parse(body);
  const elements = [...String(html).matchAll(/<[a-z!][^\s>]*|\s(?:href|src|on\w+)="[^"]*"/gi)].map(String);
  return [
    JSON.stringify([headers, to, cc]),
    ...[...new Set(elements)].filter((one) => !inert.has(one)).sort(),
  ];
}

const refused = (error: RegExp) => ({
  end: 'failed',
  status: null,
  error: expect.stringMatching(error),
  // It occupies only the few slots of its own origin.
  isUnresponsive: false,
});

destinationKindContract('email', {
  start: startProvider,
  make({ origin, timeoutMs, event }) {
    const mailer = createSmtpMailer({ url: origin, from: 'Inlet <inlet@forms.example.com>', timeoutMs });
    mailers.set(origin, [...(mailers.get(origin) ?? []), mailer]);
    return createEmail({
      mailer,
      composers: onlyNotifications({
        subject: async () => {
          const { submission, files, form, project } = event();
          return {
            submission: { ...submission, files, deliveryState: null },
            form,
            project,
          };
        },
        fileLink: (id) => event().fileLink(id),
      }),
      now: () => performance.now(),
      async observe() {},
    });
  },
  destination: () => ({
    ...described,
    kind: 'email',
    config: { to: ['team@example.com'], cc: ['boss@example.com'], bcc: ['archive@example.com'] },
  }),
  secrets: [password, Buffer.from(`\0inlet\0${password}`).toString('base64')],
  arrived: { status: null },
  shown: { method: 'SMTP', url: 'mailto:team@example.com' },
  refusals: new Map<number, object>([
    ...[421, 450, 451, 452].map((reply) => [reply, refused(/^mail_server: /)] as const),
    ...[550, 552, 554].map((reply) => [reply, { end: 'rejected', status: null }] as const),
  ]),
  redirects: [],
  hanging: refused(/^mail_server: .*did not take the mail within 2 s/),
  absent: refused(/^mail_server: .*connection refused/),
  limited: null,
  active: activeInMail,
  hasTextTemplates: false,
});
