import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aForm, aProject, aSubmission } from '../../../../test/support/nouns.js';
import { mailTemplates } from '../../../domain/planning/mail-templates.js';
import { emailSettings } from '../../../model/email-settings.js';
import { templated } from './templated.js';

const links = {
  submission: (id: string) => `https://x.test/s/${id}`,
  file: (id: string) => `https://x.test/f/${id}`,
};
const settings = (more: object) => emailSettings({ to: ['a@x.test'], cc: [], bcc: [], ...more });

function rendered(templates: { subject?: string; text?: string; html?: string }, fields: object) {
  const submission = aSubmission({ data: JSON.stringify(fields) });
  const about = { submission, form: aForm({ name: 'Shop' }), project: aProject() };
  return templated(settings(templates), mailTemplates(links)(about), []);
}

describe('a mail in the words of its owner', () => {
  it('leaves ours where there is no template', () => {
    expect(rendered({}, { name: 'Ada' })).toEqual({});
  });

  it('makes the HTML from the text, and leaves the text ours when there is only HTML', () => {
    const fromText = rendered({ text: 'Hello <b>{{fields.name}}</b>\nBye' }, { name: '<i>Ada</i>' });
    expect(fromText.text).toBe('Hello <b><i>Ada</i></b>\nBye\n');
    expect(fromText.html).toContain('Hello &lt;b&gt;&lt;i&gt;Ada&lt;/i&gt;&lt;/b&gt;<br>Bye');
    const onlyHtml = rendered({ html: '<p>{{fields.name}}</p>' }, { name: 'A\n<script>' });
    expect(onlyHtml).not.toHaveProperty('text');
    expect(onlyHtml.html).toContain('<p>A<br>&lt;script&gt;</p>');
    expect(onlyHtml.html).toContain('<meta name="color-scheme" content="light dark">');
  });

  it('leaves a whole page as it is', () => {
    const page = '<!DOCTYPE html><html><body bgcolor="#fff">{{form.name}}</body></html>';
    expect(rendered({ html: page }, {}).html).toBe(page.replace('{{form.name}}', 'Shop'));
  });

  it('writes the names of files as they are, also those that look like a part of the page', () => {
    const html = '<html><body>{{form.name}}</body></html>';
    const about = { submission: aSubmission(), form: aForm({ name: 'Shop' }), project: aProject() };
    const filename = '$$ $& $` $0 $1 $<a>.pdf';
    const link = 'https://x.test/f/1';
    const file = {
      id: '1',
      field: 'cv',
      filename,
      type: 'application/pdf',
      size: 1,
      link,
      isAttached: false,
    };
    expect(templated(settings({ html }), mailTemplates(links)(about), [file]).html).toBe(
      `<html><body>Shop<p><a href="${link}">$$ $&amp; $\` $0 $1 $&lt;a&gt;.pdf</a></p>\n</body></html>`,
    );
  });

  it('keeps our subject where the values leave nothing of its own', () => {
    expect(rendered({ subject: '{{fields.none}} ' }, {})).toEqual({});
  });

  it('bounds every value and the whole of them', () => {
    const story = 'x'.repeat(1_048_576);
    const mail = rendered(
      { subject: '{{fields.story}}', text: '{{fields.story}}', html: '{{fields.story}}' },
      { story },
    );
    expect(mail.subject).toBe(`${'x'.repeat(249)}…`);
    expect(mail.text).toBe(`${'x'.repeat(10_000)}\n`);
    expect(mail.html).toContain('x'.repeat(10_000));
    expect(mail.html).not.toContain('x'.repeat(10_001));
    const many = rendered({ text: '{{fields.story}}'.repeat(150) }, { story });
    expect(many.text?.length).toBeLessThan(70_000);
  });

  it('never lets a value become a line of a header, markup or a control character', () => {
    const hostile = fc
      .array(
        fc.oneof(
          fc.constantFrom('\r\n', '\n', '\0', '\u2028', '\u202e', '\u2066', '\ud800', '<script>', '"', "'", '&', '{{form.name}}', '\x1b[2J'),
          fc.string({ unit: 'binary', maxLength: 12 }),
        ), // biome-ignore format: a list to be read at once
        { maxLength: 8 },
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(hostile, hostile, (name, message) => {
        const mail = rendered(
          {
            subject: 'From {{fields.name}} {{fields.message}}',
            text: '{{fields.name}}|{{fields.message}}',
            html: '<p title="{{fields.name}}">{{fields.message}}</p>',
          },
          { name, message },
        );
        expect(mail.subject).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u);
        expect(mail.text).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u);
        const body =
          /<div [^>]*>\n(<p title="(?:[^"<>]|<br>)*">[\s\S]*<\/p>)\n<\/div>/.exec(mail.html ?? '')?.[1] ?? '';
        expect((body.match(/<[^>]*>/g) ?? []).filter((tag) => tag !== '<br>')).toHaveLength(2);
        expect([mail.subject, mail.text, mail.html].every((text) => text?.isWellFormed())).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
