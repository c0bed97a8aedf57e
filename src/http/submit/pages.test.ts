import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Language, languageTags } from '../../kernel/language.js';
import { refuse } from '../../model/errors.js';
import { plainLook } from './page-look.js';
import { noticeOf } from './page-notice.js';
import { visitorStyle, visitorStylePath } from './page-style.js';
import { type Notice, pageWords } from './page-words.js';
import { createVisitorPages, type PageContent } from './pages.js';

const baseUrl = 'https://forms.example.com';
const { render, headersFor, pageBefore } = createVisitorPages(baseUrl);
const languages = Object.keys(languageTags) as Language[];

const content = (more: Partial<PageContent> = {}): PageContent => ({
  language: 'en',
  mark: 'done',
  notice: pageWords.en.thanks,
  formName: 'Contact',
  detail: null,
  violations: [],
  hasTyped: false,
  backTo: 'https://example.com/contact',
  look: plainLook,
  ...more,
});

const tagsOf = (page: string): string[] => page.match(/<[^>]*>/g) ?? [];

describe('render', () => {
  it('shows any text as text: the tags of the page stay what they are', () => {
    const nasty = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', '/', ' ', '=', 'script', 'onload', '\n') }),
    );
    const tags = tagsOf(render(content({ detail: 'x' })));
    fc.assert(
      fc.property(nasty, (text) => {
        const page = render(content({ notice: { title: text, text }, formName: text, detail: text }));
        expect(tagsOf(page)).toEqual(tags);
      }),
      { numRuns: 150 },
    );
  });

  it('keeps a name that turns the direction of writing to itself', () => {
    expect(render(content({ formName: 'a\u202Eb' }))).toContain('<bdi>a[U+202E]b</bdi></p>');
    expect(render(content({ detail: 'a\u202Eb' }))).toContain('<bdi>a[U+202E]b</bdi></p>');
  });

  it('keeps an address in its attribute', () => {
    const page = render(content({ backTo: `https://example.com/"onmouseover='alert(1)'x="&a=<b>` }));
    expect(page).toContain(
      'href="https://example.com/&quot;onmouseover=&#39;alert(1)&#39;x=&quot;&amp;a=&lt;b&gt;" rel="noreferrer"',
    );
  });

  it('names the form only when there is one', () => {
    expect(render(content())).toContain('<p class="name"><bdi>Contact</bdi></p>');
    expect(render(content({ formName: null }))).not.toContain('class="name"');
  });

  it('gives the cause in English, marked as such in the other languages', () => {
    const page = render(content({ language: 'de', detail: 'Missing multipart boundary' }));
    expect(page).toContain('<html lang="de">');
    expect(page).toContain('<p class="detail" lang="en"><bdi>Missing multipart boundary</bdi></p>');
  });

  it('tells the way back: by link, else by the button; and by the button to those who typed', () => {
    const { back, leave, typedIsKept, useBackButton } = pageWords.en;
    const shown = (more: Partial<PageContent>): string[] => {
      const page = render(content(more));
      return [back, leave, typedIsKept, useBackButton].filter((words) => page.includes(words));
    };
    expect(shown({})).toEqual([back]);
    expect(shown({ backTo: null })).toEqual([useBackButton]);
    expect(shown({ hasTyped: true })).toEqual([leave, typedIsKept]);
    expect(shown({ hasTyped: true, backTo: null })).toEqual([typedIsKept]);
  });

  const notices = (language: Language): Notice[] => {
    const { thanks, fault, invalid } = pageWords[language];
    const refusals = [
      refuse.submissionRateLimited(42),
      refuse.busy(),
      refuse.tooManyBytes('file', 10 * 1024 * 1024),
      refuse.tooManyBytes('body', 1024 * 1024),
      refuse.tooMany('files', 10),
      refuse.tooMany('parts', 200),
      refuse.uploadsNeedPlan(''),
      refuse.localhostInLiveMode(),
      refuse.formInactive(),
      refuse.captchaFailed(),
      refuse.bodyTooSlow(),
      refuse.idempotencyConflict(),
      refuse.formNotFound(),
      refuse.methodNotAllowed(),
    ];
    return [thanks, fault, invalid, ...refusals.map((refusal) => noticeOf(refusal, language))];
  };

  it.each(languages)('stays under 5 kB with its stylesheet, and is whole, in %s', (language) => {
    for (const notice of notices(language)) {
      const page = render(
        content({
          language,
          notice,
          hasTyped: true,
          formName: 'A form with a rather long name, as people give them: Contact — Bäckerei Morgenrot',
          detail: 'Localhost not allowed in live mode. Use sandbox mode for local development.',
          backTo: `https://www.example.com/a/page/deep/within/the/website?${'utm_source=newsletter&'.repeat(5)}`,
        }),
      );
      expect(Buffer.byteLength(page + visitorStyle)).toBeLessThan(5_000);
      expect(page).toContain(`<html lang="${languageTags[language]}">`);
      expect(page.match(/<h1>/g)).toHaveLength(1);
      expect(page).toContain(`<h1>${notice.title}</h1>`);
      expect(page).toContain(`<title>${notice.title}</title>`);
      expect(page).not.toMatch(/<script|<style|style=|src=|\son\w+=/);
    }
  });
});

describe('a page with a button', () => {
  const { renderAction, actionHeadersFor } = createVisitorPages('https://forms.example.com/base');
  const action = { ...content({}), notice: { title: 'Confirm', text: 'Press it.' } };

  it('has a form that sends it to its own address, or nothing to press', () => {
    expect(renderAction({ ...action, button: 'Yes & no' })).toContain(
      '<form method="post"><button type="submit">Yes &amp; no</button></form>',
    );
    expect(renderAction({ ...action, button: null })).not.toMatch(/<form|<button/);
  });

  it('may be framed by nobody, listed by nobody, and tells its address to nobody', () => {
    const headers = actionHeadersFor('en', plainLook);
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'self' https://forms.example.com; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['x-robots-tag']).toBe('noindex');
    expect(headers['cache-control']).toBe('no-store');
  });
});

describe('pageBefore', () => {
  it.each([
    ['https://example.com/contact?a=1&b=2#c', 'https://example.com/contact?a=1&b=2#c'],
    ['HTTP://Example.com', 'http://example.com/'],
    ['https://example.com/"><script>', 'https://example.com/%22%3E%3Cscript%3E'],
    ['https://forms.example.com/other', 'https://forms.example.com/other'],
    ['https://example.com/f/contact', 'https://example.com/f/contact'],
  ])('links to %j', (referer, expected) => {
    expect(pageBefore(referer, 'forms.example.com')).toBe(expected);
  });

  it('leaves out what stands before the host and is none', () => {
    expect(pageBefore('https://bank.example:x@evil.example/', undefined)).toBe('https://evil.example/');
  });

  it.each([
    'javascript:alert(1)',
    'JavaScript://example.com/%0aalert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    '//example.com',
    '/f/x',
    ' https://example.com',
    'https://',
    'https://exa mple.com/',
    '',
    undefined,
    'https://forms.example.com/f/abc',
    'https://forms.example.com/f/abc/success?status=success',
    'http://10.0.0.1:3000/f/abc',
    `https://example.com/${'x'.repeat(2_048)}`,
    `https://example.com/${'"'.repeat(1_000)}`,
  ])('does not link to %j', (referer) => {
    expect(pageBefore(referer, '10.0.0.1:3000')).toBeNull();
  });

  it('knows its own pages behind a path of a proxy', () => {
    const pages = createVisitorPages('https://example.com/inlet');
    expect(pages.pageBefore('https://example.com/inlet/f/abc', undefined)).toBeNull();
    expect(pages.pageBefore('https://example.com/f/abc', undefined)).toBe('https://example.com/f/abc');
  });
});

describe('the stylesheet', () => {
  it.each([
    ['https://forms.example.com', 'https://forms.example.com/', 'https://forms.example.com'],
    ['https://example.com/inlet', 'https://example.com/inlet/', 'https://example.com'],
    ['http://localhost:3000', 'http://localhost:3000/', 'http://localhost:3000'],
  ])('of %s comes from there, and the policy allows it', (url, prefix, origin) => {
    const pages = createVisitorPages(url);
    expect(pages.render(content())).toContain(`<link rel="stylesheet" href="${prefix}${visitorStylePath}">`);
    expect(pages.headersFor('en', {}, plainLook)['content-security-policy']).toBe(
      `default-src 'none'; style-src 'self' ${origin}; base-uri 'none'; form-action 'none'; frame-ancestors *`,
    );
  });
});

describe('headersFor', () => {
  it('adds to what is there', () => {
    expect(headersFor('zh', { vary: 'Origin', 'retry-after': '42' }, plainLook)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-language': 'zh-Hans',
      vary: 'Origin, Accept-Language',
      'retry-after': '42',
      'cache-control': 'no-store',
    });
    expect(headersFor('en', {}, plainLook).vary).toBe('Accept-Language');
  });

  it('leaves the headers that it is given as they were', () => {
    const headers = { vary: 'Origin' };
    headersFor('en', headers, plainLook);
    expect(headers).toEqual({ vary: 'Origin' });
  });
});
