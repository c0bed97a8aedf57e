import { describe, expect, it } from 'vitest';
import { telegramHtml } from './telegram-html.js';

describe('the HTML of a template for Telegram', () => {
  it.each([
    ['<b>a</b> <i>b</i>', '<b>a</b> <i>b</i>'],
    ['<b>a', '<b>a</b>'],
    ['<b><i>a</b></i>', '<b><i>a</i></b>'],
    ['a</b>', 'a'],
    ['a < b && c > d', 'a &lt; b &amp;&amp; c &gt; d'],
    ['&lt;b&gt; &nbsp;', '&lt;b&gt; &amp;nbsp;'],
    ['<script>x</script>', '&lt;script&gt;x&lt;/script&gt;'],
    ['<a href="https://crm.example/1">CRM</a>', '<a href="https://crm.example/1">CRM</a>'],
    ['<a>x</a>', 'x'],
    ['<a href="javascript:x">y</a>', '&lt;a href=&quot;javascript:x&quot;&gt;y'],
    [
      '<a href="<code>https://evil.example</code>">x</a>',
      '&lt;a href=&quot;<code>https://evil.example</code>&quot;&gt;x',
    ],
    ['<code>a <code>b</code> c</code> <b>d</b>', '<code>a b c</code> <b>d</b>'],
  ])('%s', (html, expected) => {
    expect(telegramHtml(html, 4_000)).toBe(expected);
  });

  it('is cut between characters, and its tags are closed', () => {
    expect(telegramHtml('<b>a&amp;😀😀</b>', 5)).toBe('<b>a&amp;😀</b>…');
    expect(telegramHtml('<b>abcd', 5)).toBe('<b>abcd</b>');
  });

  it('has fewer tags than Telegram remembers', () => {
    expect(telegramHtml('<code>x</code>'.repeat(200), 4_000).split('<code>')).toHaveLength(91);
  });
});
