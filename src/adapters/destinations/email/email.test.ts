import { describe, expect, it } from 'vitest';
import { notifications } from '../../../../test/support/composers.js';
import { aForm, aProject, aStoredFile, aSubmission, someTime } from '../../../../test/support/nouns.js';
import { only } from '../../../../test/support/ports.js';
import type { EmailConfig } from '../../../contract/destination.js';
import { builtInEmail, builtInToVisitor, type DestinationOf } from '../../../model/destination.js';
import type { DeliverySubject } from '../../../ports/deliveries.js';
import type { Message, SubmissionEvent } from '../../../ports/destination-kind.js';
import type { Mailer, MailMessage, MailOutcome } from '../../../ports/mailer.js';
import type { Composer } from './composer.js';
import { createEmail } from './email.js';
import { composeSubmissionMail } from './message.js';
import type { NotificationDeps } from './notification.js';

const busy: MailOutcome = { kind: 'refused', permanent: false, isNoMailbox: false, detail: '451 later' };
const unknownUser: MailOutcome = {
  kind: 'refused',
  permanent: true,
  isNoMailbox: true,
  detail: '550 no such user',
};
const signing = { secret: 's', previousSecret: null, previousSecretUntil: null };

const submission = aSubmission({ data: '{"name":"Ada"}' });
const about: DeliverySubject = {
  submission,
  form: aForm({ name: 'Contact' }),
  project: aProject({ name: 'Site' }),
};
const message: Message = {
  id: 'the delivery',
  submissionId: submission.id,
  url: 'b@x.test',
  body: '',
  attempt: 1,
  isRepeated: false,
};
const builtIn = builtInEmail(aForm({ notifyEmails: ['b@x.test'] }), null);
const own = (config: Partial<EmailConfig>): DestinationOf<'email'> => ({
  ...builtIn,
  builtIn: false,
  config: { to: [], cc: [], bcc: [], ...config },
});

const sample = {
  ...{ mailId: '', recipient: '', projectName: 'Site', formName: 'Contact', submissionId: submission.id },
  ...{ createdAt: 0, data: '{}', labels: new Map(), files: [], metadata: submission.metadata, link: null },
  ...{ language: 'en' as const, replyTo: 'visitor', fromName: null, unsubscribeUrl: null },
};
const reply = builtInToVisitor(aForm(), 'reply');
const toVisitor: Composer = async ({ id, url }) => ({
  mail: { ...composeSubmissionMail(sample), id, to: url },
  formId: submission.formId,
});

/** A mail server that responds like this, and the mails it was sent. */
function scene(
  answer: (mail: MailMessage) => Promise<MailOutcome> = async () => ({ kind: 'sent' }),
  subject: DeliverySubject | null = about,
  deps: Partial<NotificationDeps> = {},
) {
  const mails: MailMessage[] = [];
  const observed: MailOutcome[] = [];
  let now = 0;
  let cut = (): void => {};
  const cutOff = new Promise<MailOutcome>((resolve) => {
    cut = () => resolve(busy);
  });
  const email = createEmail({
    mailer: only<Mailer>({
      send(mail) {
        mails.push(mail);
        now += 12.4;
        return Promise.race([answer(mail), cutOff]);
      },
      cutOff: () => cut(),
      close: async () => {},
    }),
    composers: {
      notification: notifications({ subject: async () => subject, ...deps }),
      digest: toVisitor,
      reply: toVisitor,
      confirmation: toVisitor,
    },
    now: () => now,
    async observe(_, __, outcome) {
      observed.push(outcome);
    },
  });
  const send = (destination: DestinationOf<'email'> = builtIn, more: Partial<Message> = {}) =>
    email.send({ ...message, ...more }, destination, signing);
  return { email, mails, observed, send };
}

describe('an e-mail destination', () => {
  it('plans one mail for each person, in the first spelling', () => {
    const event = only<SubmissionEvent>({ isTest: false });
    const config = {
      to: ['A@x.test', 'b@x.test'],
      cc: ['a@X.test', 'c@x.test'],
      bcc: ['B@x.test', 'd@x.test'],
    };
    expect(scene().email.prepare(event, own(config))).toEqual(
      ['A@x.test', 'b@x.test', 'c@x.test', 'd@x.test'].map((address) => ({ address, body: '' })),
    );
  });

  it('is sent when the server takes it, under the id of its delivery', async () => {
    const { send, mails, observed } = scene();
    expect(await send()).toMatchObject({
      end: 'succeeded',
      error: null,
      status: null,
      durationMs: 12,
      isUnresponsive: false,
      retryAfterMs: null,
    });
    expect(mails).toMatchObject([{ id: 'the delivery', to: 'b@x.test', shownTo: ['b@x.test'], shownCc: [] }]);
    expect(mails[0]?.text).toContain('Ada');
    expect(observed).toEqual([{ kind: 'sent' }]);
  });

  it('shows the other recipients, and never those of a blind copy', async () => {
    const { send, mails } = scene();
    const config = { to: ['a@x.test'], cc: ['c@x.test'], bcc: ['b@x.test'] };
    await send(own(config));
    expect(mails).toMatchObject([{ to: 'b@x.test', shownTo: ['a@x.test'], shownCc: ['c@x.test'] }]);
  });

  describe('with a route', () => {
    const routed = own({
      to: ['all@x.test'],
      bcc: ['b@x.test'],
      route: {
        field: 'department',
        map: { Sales: ['sales@x.test', 'ALL@x.test'], true: ['yes@x.test'] },
        otherwise: ['rest@x.test'],
      },
    });
    it.each<[unknown, string[]]>([
      ['Sales', ['sales@x.test']],
      [' sALES ', ['sales@x.test']],
      [
        ['other', 'sales', 'true'],
        ['sales@x.test', 'yes@x.test'],
      ],
      [true, ['yes@x.test']],
      ['sales@evil.test', ['rest@x.test']],
      ['__proto__', ['rest@x.test']],
      [{ Sales: 1 }, ['rest@x.test']],
      [undefined, ['rest@x.test']],
    ])('%j goes to %j', async (department, addresses) => {
      const fields = () => JSON.parse(JSON.stringify({ department })) as Record<string, unknown>;
      const event = only<SubmissionEvent>({ isTest: false, fields });
      const { email, send, mails } = scene(undefined, {
        ...about,
        submission: { ...submission, data: JSON.stringify(fields()) },
      });
      expect(email.prepare(event, routed).map(({ address }) => address)).toEqual([
        'all@x.test',
        ...addresses,
        'b@x.test',
      ]);
      await send(routed, { url: addresses[0] ?? '' });
      expect(mails).toMatchObject([{ to: addresses[0], shownTo: ['all@x.test', ...addresses] }]);
    });

    it('ends what was planned for an address that the route no longer has', async () => {
      const error = 'cancelled: the address was removed';
      expect(await scene().send(routed, { url: 'gone@x.test' })).toMatchObject({ end: 'cancelled', error });
    });
  });

  it('takes its words, its sender and whom to reply to from the settings', async () => {
    const { send, mails } = scene();
    await send(
      own({
        to: ['b@x.test'],
        subject: '{{fields.name}} at {{form.name}}',
        text: 'Dear team,\n{{fields.name}} wrote: {{submission.url}}',
        reply_to: 'team@x.test',
        from_name: 'Shop',
      }),
    );
    expect(mails).toMatchObject([
      {
        subject: 'Ada at Contact',
        text: `Dear team,\nAda wrote: https://inlet.test/submissions/${submission.id}\n`,
        html: expect.stringContaining('Dear team,<br>Ada wrote'),
        replyTo: 'team@x.test',
        fromName: 'Shop',
        references: submission.id,
        unsubscribeUrl: 'https://inlet.test/unsubscribe?token=b%40x.test',
      },
    ]);
  });

  it('attaches files as far as they fit, and links the others', async () => {
    const files = [3, 9, 4, 1].map((sizeBytes, n) =>
      aStoredFile({ id: `file-${n}`, filename: `${n}.txt`, mimeType: 'text/plain', sizeBytes }),
    );
    const { send, mails } = scene(undefined, { ...about, submission: { ...submission, files } });
    const attached = own({ to: ['b@x.test'], files: 'attached', max_attached_bytes: 8 });
    await send(attached);
    await send({
      ...attached,
      config: { ...attached.config, html: '<body>{{form.name}}</body>', text: 'T' },
    });
    await send(own({ to: ['b@x.test'] }));
    const names = mails.map(({ attachments }) => attachments.map(({ filename }) => filename));
    expect(names).toEqual([['0.txt', '2.txt', '3.txt'], ['0.txt', '2.txt', '3.txt'], []]);
    expect(String(await mails[0]?.attachments[0]?.read())).toBe('content of 0.txt');
    const linked = (text = '') => text.match(/files\/file-\d/g);
    expect(mails.map(({ text }) => linked(text))).toEqual([
      ['files/file-1'],
      ['files/file-1'],
      ['files/file-0', 'files/file-1', 'files/file-2', 'files/file-3'],
    ]);
    expect(mails[1]?.html).toBe(
      '<body>Contact<p><a href="https://inlet.test/files/file-1">1.txt</a></p>\n</body>',
    );
  });

  it('is suppressed for who has unsubscribed or whose mailbox is gone, which is no failure', async () => {
    const at = { id: 's', accountId: 'a', destinationId: null, address: 'b@x.test', createdAt: 0 };
    for (const [reason, detail, error] of [
      ['unsubscribed', '', 'suppressed: unsubscribed'],
      ['bounced', '550 gone', 'suppressed: bounced: 550 gone'],
    ] as const) {
      const { send, mails, observed } = scene(undefined, about, {
        suppression: async () => ({ ...at, reason, detail }),
      });
      expect(await send()).toMatchObject({ end: 'suppressed', error });
      expect([mails, observed]).toEqual([[], []]);
    }
  });

  it('may be tried again while the server is busy', async () => {
    const { send, observed } = scene(async () => busy);
    expect(await send()).toMatchObject({ end: 'failed', error: 'mail_server: 451 later' });
    expect(observed).toEqual([busy]);
  });

  it('is rejected when there is no such mailbox, and suppressed if a visitor named it', async () => {
    const { send, observed } = scene(async () => unknownUser);
    expect(await send()).toMatchObject({ end: 'rejected', error: 'mail_server: 550 no such user' });
    expect(await send(reply)).toMatchObject({
      end: 'suppressed',
      error: 'suppressed: bounced: 550 no such user',
    });
    expect(observed).toEqual([unknownUser, unknownUser]);
  });

  it('is cancelled when what it is about is deleted, or its address was removed', async () => {
    const deleted = scene(undefined, null);
    expect(await deleted.send()).toMatchObject({
      end: 'cancelled',
      error: 'cancelled: the submission was deleted',
    });
    const removed = scene();
    expect(await removed.send(own({ to: ['a@x.test'] }))).toMatchObject({
      end: 'cancelled',
      error: 'cancelled: the address was removed',
    });
    expect([deleted.mails, removed.mails, deleted.observed]).toEqual([[], [], []]);
  });

  it('fails and may be tried again where no mail server is set', async () => {
    const email = createEmail({
      mailer: null,
      composers: { notification: toVisitor, digest: toVisitor, reply: toVisitor, confirmation: toVisitor },
      now: () => 0,
      async observe() {},
    });
    const result = await email.send(message, builtIn, signing);
    expect(result).toMatchObject({ end: 'failed', error: expect.stringMatching(/^no_mail_server: /) });
    expect(await email.send(message, reply, signing)).toMatchObject({
      end: 'suppressed',
      error: expect.stringMatching(/^suppressed: no_mail_server: /),
    });
  });

  it('counts as not attempted when we cut it off ourselves', async () => {
    const { email, send, observed } = scene(() => new Promise(() => {}));
    const sending = send();
    await email.cutOff();
    await expect(sending).rejects.toThrow('shutting down');
    expect(observed).toEqual([]);
  });

  it('counts as not attempted when the mailer or the store throws', async () => {
    const { send } = scene(async () => {
      throw new Error('a surprise');
    });
    await expect(send()).rejects.toThrow('a surprise');
  });

  it('carries what a test is about: that is stored nowhere', async () => {
    const { email, send, mails } = scene(undefined, null);
    const project = aProject();
    const form = aForm({ name: 'Tried out' });
    const event = only<SubmissionEvent>({
      isTest: true,
      submission: aSubmission({ data: '{"name":"Sample"}', createdAt: someTime }),
      form,
      project,
    });
    const [prepared] = email.prepare(event, own({ to: ['b@x.test'] }));
    expect(await send(own({ to: ['b@x.test'] }), { body: prepared?.body ?? '' })).toMatchObject({
      end: 'succeeded',
    });
    expect(mails[0]?.text).toContain('Sample');
    expect(mails[0]?.subject).toContain('Tried out');
  });
});
