import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MailServer, startMailServer } from '../../../test/support/mail-server.js';
import { type Mailer, ordinaryMail } from '../../ports/mailer.js';
import { composeSubmissionMail } from '../destinations/email/message.js';
import { createSmtpMailer } from './smtp.js';

let server: MailServer;
let sender: Mailer;
beforeEach(async () => {
  server = await startMailServer();
  sender = createSmtpMailer({ url: server.url, from: 'Inlet <forms@inlet.example>', poolSize: 1 });
});
afterEach(async () => {
  await sender.close();
  await server.close();
});

/** The names of all headers, after unfolding. Also checks that all headers are printable ASCII. */
function headerNames(raw: string): readonly string[] {
  const head = raw.split('\r\n\r\n', 1)[0] ?? '';
  expect(head).toMatch(/^[\x20-\x7e\t\r\n]*$/);
  return head
    .replace(/\r\n[ \t]/g, ' ')
    .split('\r\n')
    .map((line) => /^[A-Za-z-]+(?=:)/.exec(line)?.[0] ?? line);
}

describe('what visitors write', () => {
  const breaks = fc.constantFrom(
    '\r\n', '\n', '\r', '\0', '\u0085', '\u2028', '\u2029', '\t', ' ', ',', '<', '>', '"', '=?utf-8?Q?=0ABcc?=',
    '\r\nBcc: evil@example.net', '\n\nbody', '\ud800', '\u202e', 'a@b.example', '; ', ':', '\x1b[2J', '\r\n.\r\n',
    '\r\nRCPT TO:<evil@example.net>',
  ); // biome-ignore format: a list to be read at once
  const hostile = fc
    .array(fc.oneof(breaks, fc.string({ unit: 'binary', maxLength: 12 })), { maxLength: 8 })
    .map((parts) => parts.join(''));

  it('never becomes a header or a recipient', async () => {
    await fc.assert(
      fc.asyncProperty(
        hostile,
        hostile,
        hostile,
        hostile,
        hostile,
        async (id, subject, replyTo, body, name) => {
          const before = server.mails.length;
          const outcome = await sender.send({
            ...ordinaryMail,
            id,
            references: id,
            fromName: name,
            unsubscribeUrl: `https://forms.example/unsubscribe/${name}`,
            attachments: [{ filename: name, type: body, read: async () => Buffer.from(body) }],
            to: 'owner@example.com',
            shownTo: ['owner@example.com'],
            shownCc: [],
            replyTo,
            subject: `New submission: ${subject}`,
            text: `> ${body}`,
            html: `<p>${body}</p>`,
          });
          expect(outcome).toEqual({ kind: 'sent' });
          expect(server.mails).toHaveLength(before + 1);
          const received = server.mails.at(-1);
          expect(received?.to).toEqual(['owner@example.com']);
          const raw = received?.raw ?? '';
          const optional = new Set(['Reply-To', 'List-Unsubscribe', 'List-Unsubscribe-Post']);
          expect(headerNames(raw).filter((header) => !optional.has(header)).sort()).toEqual([
          'Auto-Submitted', 'Content-Type', 'Date', 'From', 'MIME-Version', 'Message-ID', 'References', 'Subject', 'To',
          'X-Auto-Response-Suppress',
        ]); // biome-ignore format: a list to be read at once
          // The headers of its parts too, which contain the filename.
          for (const part of raw.split(/^--.*\r\n/m).slice(1)) {
            if (part.trim() === '') continue;
            for (const header of headerNames(part)) expect(header).toMatch(/^Content-[A-Z][A-Za-z-]+$/);
          }
          const mail = await PostalMime.parse(received?.raw ?? '');
          expect(mail.from?.address).toBe('forms@inlet.example');
          expect(mail.attachments).toHaveLength(1);
          for (const shown of [mail.subject, mail.from?.name, mail.attachments[0]?.filename]) {
            expect(shown ?? '').not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u);
          }
          expect(mail.to).toEqual([{ name: '', address: 'owner@example.com' }]);
          expect(mail.cc ?? []).toEqual([]);
          expect(mail.bcc ?? []).toEqual([]);
          expect(mail.replyTo?.length ?? 0).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('a composed mail', () => {
  const composed = (data: string) =>
    composeSubmissionMail({
      mailId: 'mail-1',
      recipient: 'owner@example.com',
      projectName: 'Website',
      formName: 'Kontakt\r\nBcc: evil@example.net',
      submissionId: 'id',
      createdAt: 0,
      data,
      labels: new Map(),
      files: [],
      metadata: {
        ip: '203.0.113.7',
        userAgent: '漢'.repeat(10_000),
        submittedFrom: 'é'.repeat(10_000),
        controlFields: null,
      },
      link: null,
      language: 'en',
      replyTo: 'visitor',
      fromName: null,
      unsubscribeUrl: null,
    });

  it.each(['=', '漢', '&', '\n', '😀', '.\r\n'])('full of %j stays below 500 kB on its way', async (text) => {
    const fields = Array.from({ length: 300 }, (_, n) => [`${n}${text}`, text.repeat(3_000)]);
    const mail = composed(JSON.stringify(Object.fromEntries(fields)));
    expect(await sender.send(mail)).toEqual({ kind: 'sent' });
    const raw = server.mails[0]?.raw ?? '';
    expect(Buffer.byteLength(raw)).toBeLessThan(500_000);
    const received = await PostalMime.parse(raw);
    expect(received.subject).toBe('New submission: Kontakt Bcc: evil@example.net');
    expect(received.text?.trimEnd()).toBe(mail.text.trimEnd());
    expect(received.html?.trimEnd()).toBe(mail.html.trimEnd());
  });
});
