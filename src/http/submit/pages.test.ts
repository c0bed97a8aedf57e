import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PageContent, pageHeaders, renderPage } from './pages.js';

const content = (more: Partial<PageContent> = {}): PageContent => ({
  title: 'Thank you',
  text: 'Your message has been received.',
  formName: 'Contact',
  backTo: 'https://example.com/contact',
  ...more,
});

const tagsOf = (page: string): string[] => page.match(/<[^>]*>/g) ?? [];

describe('renderPage', () => {
  it('shows any text as text: the tags of the page stay what they are', () => {
    const nasty = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', '/', ' ', '=', 'script', 'onload', '\n') }),
    );
    const tags = tagsOf(renderPage(content({ backTo: null })));
    fc.assert(
      fc.property(nasty, (text) => {
        const page = renderPage({ title: text, text, formName: text, backTo: null });
        expect(tagsOf(page)).toEqual(tags);
      }),
      { numRuns: 150 },
    );
  });

  it('keeps an address in its attribute', () => {
    const page = renderPage(content({ backTo: `https://example.com/"onmouseover='alert(1)'x="&a=<b>` }));
    expect(page).toContain(
      'href="https://example.com/&quot;onmouseover=&#39;alert(1)&#39;x=&quot;&amp;a=&lt;b&gt;" rel="noreferrer"',
    );
  });

  it.each(['javascript:alert(1)', ' https://example.com', 'data:text/html,x', '//example.com', '', null])(
    'does not link back to %j',
    (backTo) => {
      expect(renderPage(content({ backTo }))).not.toContain('<a ');
    },
  );

  it('names the form only when there is one', () => {
    expect(renderPage(content())).toContain('<p class="name">Contact</p>');
    expect(renderPage(content({ formName: null }))).not.toContain('class="name"');
  });

  it('stays under 5 kB and loads nothing', () => {
    const page = renderPage(content());
    expect(Buffer.byteLength(page)).toBeLessThan(5_000);
    expect(page).not.toMatch(/<script|src=|@import|url\(/);
  });
});

describe('pageHeaders', () => {
  it('allow exactly the style that the page carries', () => {
    const [, style = ''] = /<style>([^<]*)<\/style>/.exec(renderPage(content())) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(style).not.toBe('');
    expect(pageHeaders['content-security-policy']).toContain(`style-src 'sha256-${hash}'`);
  });

  it('allow nothing else', () => {
    expect(pageHeaders['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; /);
    expect(pageHeaders).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
  });
});
