import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aForm, aProject, aSubmission } from '../../../test/support/nouns.js';
import { escapeHtml } from '../../kernel/html.js';
import { usualAutoresponder } from '../../model/autoresponder.js';
import { composeReply, type MailLayout } from './compose.js';
import { replyWords } from './words.js';

const layout: MailLayout = {
  letter: ({ heading, paragraphs, footer }) => ({
    text: [heading, ...paragraphs, ...footer].join('|'),
    html: paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`).join(''),
  }),
  html: ({ footer }, body) => body + footer.map(escapeHtml).join(''),
};
const links = { submission: (id: string) => `https://inlet.test/${id}`, file: String };

const reply = (data: object, more: Partial<Parameters<typeof composeReply>[0]['autoresponder']> = {}) =>
  composeReply(
    {
      mailId: 'the delivery',
      recipient: 'ada@x.test',
      form: aForm({ name: 'Contact' }),
      project: aProject({ name: 'Site', allowedOrigins: ['*.site.test', 'site.test'] }),
      submission: aSubmission({ data: JSON.stringify(data) }),
      autoresponder: {
        ...usualAutoresponder,
        ...{ field: 'email', subject: '{{fields.a}}', text: '{{fields.a}}', html: '<i>{{fields.a}}</i>' },
        ...more,
      },
    },
    layout,
    links,
  );

describe('a reply to a visitor', () => {
  it('is the owner’s text with the visitor’s values, and says whose it is', () => {
    expect(reply({ a: 'Zoë' }, { text: 'Hi {{fields.a}},\n\nbye', html: null })).toMatchObject({
      ...{ id: 'the delivery', to: 'ada@x.test', shownTo: ['ada@x.test'], autoSubmitted: 'auto-replied' },
      subject: 'Zoë',
      text: ['Site', 'Hi Zoë,', 'bye', ...replyWords.en.footer('Site (site.test)', 'Contact')].join('|'),
      html: '<p>Hi Zoë,</p><p>bye</p>',
    });
  });

  it.each(Object.keys(replyWords) as (keyof typeof replyWords)[])('names site and form in %s', (language) => {
    const { text } = reply({ a: 'x' }, { language });
    expect(text).toContain('Site (site.test)');
    expect(text).toContain('Contact');
  });

  it('has no markup, no line of a header and no long text of a visitor', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (a) => {
        const { subject, html, text } = reply({ a });
        expect(subject).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
        expect(subject.length).toBeLessThanOrEqual(150);
        const value = html.slice('<i>'.length, html.indexOf('</i>'));
        expect(value).not.toMatch(/[<>"']/);
        expect(text.length).toBeLessThan(3_000);
      }),
    );
    expect(reply({ a: 'x'.repeat(201) }).html).toContain(`<i>${'x'.repeat(200)}…</i>`);
  });
});
