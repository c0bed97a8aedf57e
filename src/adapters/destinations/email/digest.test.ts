import { describe, expect, it } from 'vitest';
import type { DigestContent } from '../../../ports/digests.js';
import { composeDigest, type DigestMailInput, maxDigestRows } from './digest.js';

const at = Date.parse('2026-11-18T06:55:00Z');
const submission = (n: number, data: string | null, formName = 'Contact') => ({
  id: `submission-${n}`,
  formName,
  createdAt: at + n * 60_000,
  data,
  labels: new Map<string, string>(),
});
const content: DigestContent = {
  forms: [{ id: 'form-1', name: 'Contact', count: 2 }],
  projectName: 'Website',
  accountId: 'account-1',
  firstAt: at,
  lastAt: at + 86_400_000,
  newest: [
    submission(1, '{"name":"Ada","email":"ada@x.test","message":"Hello\\nthere","more":"never shown"}'),
    submission(0, null),
  ],
};
const input: DigestMailInput = {
  mailId: 'mail',
  recipient: 'owner@x.test',
  content,
  formId: 'form-1',
  projectId: 'project-1',
  config: {
    ...{ to: ['owner@x.test'], cc: [], bcc: [] },
    digest: { every: 'day', hour: 8, weekday: 1, time_zone: 'Europe/Berlin' },
  },
  links: {
    submission: (id) => `https://inlet.test/s/${id}`,
    form: (id) => `https://inlet.test/f/${id}`,
    project: (id) => `https://inlet.test/p/${id}`,
  },
  unsubscribeUrl: 'https://inlet.test/unsubscribe?token=x',
};

describe('a digest', () => {
  it('says how many came when, shows the first fields and links to each and to all', () => {
    const { subject, text, html, to, id } = composeDigest(input);
    expect({ subject, to, id }).toEqual({
      subject: '2 new submissions: Contact',
      to: 'owner@x.test',
      id: 'mail',
    });
    expect(text).toBe(
      'Contact\nWebsite\n2 new submissions, 18 Nov 2026, 07:55 to 19 Nov 2026, 07:55 (Europe/Berlin)\n\n' +
        '- Ada\n  email: ada@x.test\n  message: Hello there\n  18 Nov 2026, 07:56\n  https://inlet.test/s/submission-1\n\n' +
        '- Submission\n  18 Nov 2026, 07:55\n  https://inlet.test/s/submission-0\n\n' +
        'Open all submissions:\nhttps://inlet.test/f/form-1\n\n' +
        'Unsubscribe:\nhttps://inlet.test/unsubscribe?token=x\n\n' +
        '-- \nVisitors of your website wrote what is shown above. Open links only if you expect them.\n\n' +
        'You received this e-mail because owner@x.test gets a digest of new submissions.\n',
    );
    expect(html).toContain('href="https://inlet.test/s/submission-1"');
    expect(html).toContain('href="https://inlet.test/unsubscribe?token=x"');
    expect(html).toContain('message:</span> <bdi>Hello there</bdi>');
    expect(html).not.toContain('never shown');
  });

  it('calls fields what visitors read on the form', () => {
    const [first] = content.newest;
    if (!first) throw new Error('no submission');
    const labelled = { ...first, labels: new Map([['email', 'Your <address>']]) };
    const { text, html } = composeDigest({ ...input, content: { ...content, newest: [labelled] } });
    expect(text).toContain('\n  Your <address>: ada@x.test\n');
    expect(html).toContain('>Your &lt;address&gt;:</span> <bdi>ada@x.test</bdi><');
  });

  it('of a project counts each form and names it with each submission', () => {
    const forms: DigestContent['forms'] = [
      { id: 'form-1', name: 'Contact', count: 1_200 },
      { id: 'form-2', name: 'Jobs', count: 1 },
    ];
    const { subject, text } = composeDigest({ ...input, formId: null, content: { ...content, forms } });
    expect(subject).toBe('1,201 new submissions: Website');
    expect(text).toContain('\nContact: 1,200\nJobs: 1\n');
    expect(text).toContain('Contact, 18 Nov 2026, 07:56');
    expect(text).toContain('1,199 more are not shown here.');
    expect(text).toContain('https://inlet.test/p/project-1');
  });

  it.each(['de', 'fr', 'es', 'zh'] as const)('speaks %s', (language) => {
    const forms: DigestContent['forms'] = [
      ...([{ id: 'form-1', name: 'Contact', count: 1_200 }] as const),
      ...Array.from({ length: 21 }, (_, n) => ({ id: `f${n}`, name: 'Jobs', count: 1 })),
    ];
    const long = { ...input, formId: null, content: { ...content, forms } };
    const english = composeDigest(long);
    const mail = composeDigest({ ...long, config: { ...long.config, language } });
    expect(mail.html).toContain(`<html lang="${language === 'zh' ? 'zh-Hans' : language}">`);
    const ours = ['new submissions', ' to ', 'not shown', 'more forms', 'Newest', 'Submission', 'Open all'];
    for (const words of [...ours, 'Visitors of', 'You received', 'Unsubscribe']) {
      expect(english.text + english.html + english.subject).toContain(words);
      expect(mail.text + mail.html + mail.subject).not.toContain(words);
    }
    expect(mail.text).toContain('Europe/Berlin');
    expect(mail.text).toMatch(/07:55|7:55/);
    // Also for a single submission, which uses the singular.
    const one = { ...content, forms: [{ id: 'form-1', name: 'Contact', count: 1 }] as const };
    const single = composeDigest({ ...input, content: one, config: { ...input.config, language } });
    expect(single.subject).toMatch(/^1 .+: Contact$/);
    expect(single.subject).not.toContain('new submission');
  });

  it('stays text and stays small, whatever visitors wrote', () => {
    const hostile = JSON.stringify({
      '<b>\r\nBcc: a@b.c': `<script>alert(1)</script>\r\n- faked\u202e${'x'.repeat(60_000)}`,
      second: '<img src=x onerror=alert(1)>'.repeat(500),
      third: `\u0000${'𝒳'.repeat(5_000)}`,
    });
    const many = Array.from({ length: maxDigestRows }, (_, n) => submission(n, hostile, '<i>Form</i>'));
    const forms = Array.from({ length: 500 }, (_, n) => ({
      id: `f${n}`,
      name: `<u>${'n'.repeat(300)}`,
      count: 9,
    }));
    const [first, ...others] = forms;
    if (!first) throw new Error('There are forms');
    const mail = composeDigest({
      ...input,
      formId: null,
      content: { ...content, forms: [first, ...others], newest: many, projectName: 'P\r\nBcc: x@y.z' },
    });
    expect(mail.html).not.toMatch(/<script|<img|<u>|<i>|\u202e/);
    expect(Buffer.byteLength(mail.html)).toBeLessThan(120_000);
    expect(Buffer.byteLength(mail.text)).toBeLessThan(60_000);
    expect(mail.subject).not.toMatch(/[\r\n]/);
    // Every line of a visitor's text follows ours or is indented.
    expect(mail.text).not.toMatch(/^- faked/m);
  });
});
