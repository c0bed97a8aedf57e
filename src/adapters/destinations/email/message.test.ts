import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ordinaryMail } from '../../../ports/mailer.js';
import { composeSubmissionMail, type SubmissionMailInput } from './message.js';

const input: SubmissionMailInput = {
  mailId: '019a2b3c-0000-7000-8000-000000000001',
  recipient: 'studio@example.com',
  projectName: 'Maison Verte',
  formName: 'Project enquiry',
  submissionId: '019a2b3c-7d1e-7000-8000-0000000000ff',
  createdAt: Date.UTC(2026, 10, 15, 4, 2, 9, 531),
  data: '{"name":"Ada","email":"ada@example.org","10":"first","2":12345678901234567890,"message":"Hello\\n\\n  there"}',
  labels: new Map(),
  files: [
    {
      id: 'file-1',
      field: 'plans',
      filename: 'ground floor.pdf',
      type: 'application/pdf',
      size: 1_284_322,
      link: 'https://forms.example.com/files/abc?a=1&b=2',
      isAttached: false,
    },
  ],
  metadata: {
    ip: '203.0.113.7',
    userAgent: 'Safari',
    submittedFrom: 'https://maison.example/contact',
    controlFields: null,
  },
  link: 'https://forms.example.com/submissions/019a2b3c',
  language: 'en',
  replyTo: 'visitor',
  fromName: null,
  unsubscribeUrl: 'https://forms.example.com/unsubscribe?token=x',
};
const withData = (data: unknown) => composeSubmissionMail({ ...input, data: JSON.stringify(data) });

describe('the mail of a submission', () => {
  it('says everything as text', () => {
    const { text, html, ...head } = composeSubmissionMail(input);
    expect(head).toEqual({
      ...ordinaryMail,
      id: input.mailId,
      to: 'studio@example.com',
      shownTo: ['studio@example.com'],
      shownCc: [],
      replyTo: 'ada@example.org',
      subject: 'Ada: Project enquiry',
      references: input.submissionId,
      unsubscribeUrl: input.unsubscribeUrl,
    });
    expect(text).toBe(`Project enquiry
Maison Verte
From Ada, 15 November 2026, 04:02 UTC

name: Ada
email: ada@example.org
10: first
2: 12345678901234567890
message:
  Hello

    there

1 file:
- ground floor.pdf (application/pdf, 1.3 MB, field plans)
  https://forms.example.com/files/abc?a=1&b=2

Open the submission:
https://forms.example.com/submissions/019a2b3c

Reply to this mail to reach ada@example.org.

Sent from: https://maison.example/contact
IP address: 203.0.113.7
Browser: Safari
Received: 2026-11-15T04:02:09.531Z
Submission: 019a2b3c-7d1e-7000-8000-0000000000ff

Unsubscribe from these mails:
https://forms.example.com/unsubscribe?token=x

--${' '}
A visitor of your website wrote what is shown above. Open links and files only if you expect them.

You received this e-mail because studio@example.com is notified of new submissions to “Project enquiry” in the project “Maison Verte”.
`);
    expect(html).toContain('Hello<br><br>\u00a0 there');
    expect(html).toContain('href="https://forms.example.com/files/abc?a=1&amp;b=2"');
    expect(html).toMatch(/>first<[\s\S]*>12345678901234567890</);
  });

  it('calls fields what visitors read on the form', () => {
    const labels = new Map([
      ['email', 'E-mail <address>'],
      ['plans', 'Floor plans\r\nBcc: x'],
      ['other', 'Not sent'],
    ]);
    const { text, html } = composeSubmissionMail({ ...input, labels });
    expect(text).toContain('\nE-mail <address>: ada@example.org\n');
    expect(text).toContain('(application/pdf, 1.3 MB, field Floor plans Bcc: x)');
    expect(html).toContain('>E-mail &lt;address&gt;<');
    expect(text).not.toContain('Not sent');
  });

  it('keeps the name of a visitor that is read from right to left apart from the date', () => {
    const { text, html } = composeSubmissionMail({ ...input, data: '{"name":"محمد علي"}' });
    for (const part of [text, html]) expect(part).toContain('From \u2068محمد علي\u2069, 15 November 2026');
  });

  it('works without fields, files, links and answers', () => {
    const { text, html, replyTo } = composeSubmissionMail({
      ...input,
      data: '{}',
      files: [],
      link: null,
      metadata: { ip: '', userAgent: '', submittedFrom: '', controlFields: null },
    });
    expect(replyTo).toBe(null);
    for (const part of [text, html]) {
      expect(part).toContain('The form was sent without any fields.');
      expect(part).not.toContain('Open the submission');
      expect(part).not.toContain('Browser');
    }
  });

  it.each([
    ['{"name":" Ada Lovelace ","email":"ada@example.org"}', 'Ada Lovelace: Project enquiry'],
    ['{"First name":"Ada","last_name":"Lovelace"}', 'Ada Lovelace: Project enquiry'],
    ['{"Vorname":"Ada"}', 'Ada: Project enquiry'],
    ['{"name":"","email":"ada@example.org"}', 'ada@example.org: Project enquiry'],
    ['{"name":["Ada"],"message":"Hello"}', 'New submission: Project enquiry'],
    ['{"name":"Ada\\r\\nBcc: x@y.example"}', 'Ada Bcc: x@y.example: Project enquiry'],
    [`{"name":"${'x'.repeat(300)}"}`, `${'x'.repeat(79)}…: Project enquiry`],
    [`{"name":"${'x'.repeat(500)}"}`, 'New submission: Project enquiry'],
  ])('names who sent %s in the subject', (data, subject) => {
    expect(composeSubmissionMail({ ...input, data }).subject).toBe(subject);
  });

  it.each(['de', 'fr', 'es', 'zh'] as const)('speaks %s', (language) => {
    const long = { ...input, data: JSON.stringify({ story: 'x'.repeat(20_000) }) };
    const english = composeSubmissionMail(long);
    const mail = composeSubmissionMail({ ...long, language });
    expect(mail.html).toContain(`<html lang="${language === 'zh' ? 'zh-Hans' : language}">`);
    for (const words of [
      'New submission',
      'Open the',
      'field plans',
      'Shortened',
      'Received',
      'You received',
      'Unsub',
    ]) {
      expect(english.text + english.subject).toContain(words);
      expect(mail.text + mail.subject).not.toContain(words);
    }
    expect(mail.text).toMatch(/2026.*04:02.* UTC|2026.*4:02.* UTC/);
  });

  it.each([
    ['visitor', 'ada@example.org', true],
    ['none', null, false],
    ['team@example.com', 'team@example.com', false],
  ])('replies to %s', (replyTo, address, saysSo) => {
    const mail = composeSubmissionMail({ ...input, replyTo });
    expect(mail.replyTo).toBe(address);
    expect(mail.text.includes('Reply to this mail')).toBe(saysSo);
  });

  it('says of a file that it is attached, and does not link it', () => {
    const files = input.files.map((file) => ({ ...file, isAttached: true }));
    const { text, html } = composeSubmissionMail({ ...input, files });
    expect(text).toContain('- ground floor.pdf (application/pdf, 1.3 MB, field plans, attached)\n');
    expect(text + html).not.toContain('https://forms.example.com/files/');
  });

  it('links only to the web', () => {
    const { html, text } = composeSubmissionMail({
      ...input,
      unsubscribeUrl: 'mailto:x@example.com',
      link: 'javascript:alert(1)',
      files: input.files.map((file) => ({ ...file, link: 'data:text/html,x' })),
    });
    expect(html).not.toContain('href');
    expect(text).not.toContain('data:');
  });
});

describe('what does not fit', () => {
  const sizeOf = ({ html, text }: { html: string; text: string }) => ({
    html: Buffer.byteLength(html),
    text: Buffer.byteLength(text),
  });

  it('is named at the value', () => {
    const { text, html } = withData({ story: 'é'.repeat(1_048_576), name: 'Ada' });
    const note =
      'Shortened to the first 10,000 of 1,048,576 characters. Open the submission to see all of it.';
    for (const part of [text, html]) {
      expect(part).toContain(note);
      expect(part).toContain('é'.repeat(10_000));
      expect(part).not.toContain('é'.repeat(10_001));
      expect(part).toContain('Ada');
    }
  });

  it('makes later values shorter before it leaves any out', () => {
    const { text } = withData(
      Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`f${n}`, '"'.repeat(9_000)])),
    );
    expect(text).toContain('Shortened to the first 200 of 9,000 characters.');
    expect(text).toContain('f11:');
    expect(text).not.toContain('not shown here');
  });

  it('is counted when there are too many fields or files', () => {
    const { text, html } = composeSubmissionMail({
      ...input,
      data: JSON.stringify(Object.fromEntries(Array.from({ length: 203 }, (_, n) => [`f${n}`, 'x']))),
      files: Array.from({ length: 500 }, (_, n) => ({
        id: `${n}`,
        field: 'f',
        filename: `${n}.txt`,
        type: 'text/plain',
        size: 1,
        link: `https://forms.example.com/${'x'.repeat(300)}`,
        isAttached: false,
      })),
    });
    for (const part of [text, html]) {
      expect(part).toContain('f199');
      expect(part).not.toContain('f200');
      expect(part).toContain('3 more fields are not shown here.');
      expect(part).toMatch(/\d+ more files are not shown here\./);
    }
  });

  it('never makes the mail larger than every server and reader takes', () => {
    const nasty = fc.constantFrom('"', '&', '\n', '漢', '😀', '=', ' ', "'", '\0', '\r\n', 'word ');
    const long = fc
      .tuple(nasty, fc.integer({ min: 0, max: 12_000 }))
      .map(([text, count]) => text.repeat(count));
    const value = fc.oneof(long, fc.array(long, { maxLength: 5 }), fc.jsonValue());
    fc.assert(
      fc.property(
        fc.array(value, { maxLength: 40 }), long, long, long,
        (values, name, from, agent) => {
          const mail = composeSubmissionMail({
            ...input,
            projectName: name,
            formName: from,
            data: JSON.stringify(Object.fromEntries(values.map((item, n) => [`${n}${name.slice(0, 250)}`, item]))),
            files: values.map((_, n) => ({
              id: `${n}`,
              field: name,
              filename: agent,
              type: from,
              size: n,
              link: `https://forms.example.com/${'&'.repeat(900)}`,
              isAttached: false,
            })),
            metadata: { ip: name, userAgent: agent, submittedFrom: from, controlFields: null },
            link: `https://forms.example.com/${'&'.repeat(900)}`,
          });
          // Three times that, which quoted-printable may take, is less than 500 kB.
          expect(sizeOf(mail).html + sizeOf(mail).text).toBeLessThan(163_000);
        },
      ), // biome-ignore format: the values side by side
      { numRuns: 20 },
    );
  });
});

describe('what visitors write', () => {
  const hostile = fc
    .array(
      fc.oneof(
        fc.constantFrom('\r\n', '\n', '\r', '\0', '\u0085', '\u2028', '\u2029', '\v', '\f', '\u202e', '\ud800', '<', '>',
          '"', "'", '&', '<script>', '<img src=//x.example>', '-- ', '<!--', 'style="x"', 'a@b.example', ',', 'Bcc: x'),
        fc.string({ unit: 'binary', maxLength: 20 }),
      ), // biome-ignore format: a list to be read at once
      { maxLength: 10 },
    )
    .map((parts) => parts.join(''));
  const controls = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

  /** Everything between angle brackets, with the text inside quotes removed. */
  const tagsOf = (html: string) => (html.match(/<[^>]*>/g) ?? []).map((tag) => tag.replace(/"[^"]*"/g, '""'));
  const ours = new Set([
    ...tagsOf(composeSubmissionMail(input).html),
    ...tagsOf(withData({ no_text: '' }).html),
  ]);

  it('stays text: in the subject, in the answer address and in both forms', () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, hostile, (a, b, c, d) => {
        const mail = composeSubmissionMail({
          ...input,
          projectName: a,
          formName: b,
          data: JSON.stringify({ [c]: d, email: a, nested: { [d]: [c, b] } }),
          files: [{ id: 'f', field: a, filename: b, type: c, size: 1, link: d, isAttached: false }],
          metadata: { ip: a, userAgent: c, submittedFrom: d, controlFields: null },
        });
        expect(mail.subject).not.toMatch(controls);
        expect(mail.subject.isWellFormed()).toBe(true);
        expect(mail.subject.length).toBeLessThanOrEqual(150);
        expect(mail.to).toBe(input.recipient);
        if (mail.replyTo !== null) expect(mail.replyTo).toMatch(/^[^\s,;<>"@\p{Cc}]+@[a-z0-9.-]+$/iu);
        for (const tag of tagsOf(mail.html)) expect(ours).toContain(tag);
        expect(mail.html).not.toMatch(/[^\P{Cc}\n]/u);
        expect(mail.text).not.toMatch(/[^\P{Cc}\n]/u);
        expect(mail.text.match(/^-- $/gm)).toHaveLength(1);
      }),
    );
  });

  it('loads nothing and runs nothing', () => {
    const { html } = withData({ x: '<script>alert(1)</script><img src="https://evil.example/pixel">' });
    expect(html).not.toMatch(/<(?:script|img|link|style|iframe|form|svg|base)\b|url\(|@import/i);
    expect(html).toContain('&lt;script&gt;');
  });
});
