/** What our Markdown means in the site: links as GitHub follows them, and cells aligned without style attributes. */
import { posix } from 'node:path';

const source = 'https://github.com/inlet-forms/inlet/blob/main/';

/** As GitHub names them, so that a link is right in both places. */
export const anchorOf = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** Where a link of a page leads that leaves docs/; null: it does not. `page`: below docs/. */
export function outsideAddress(page, link) {
  if (/^([a-z]+:|[/#])/i.test(link)) return null;
  const target = posix.join('docs', posix.dirname(page), link);
  return target.startsWith('docs/') ? null : source + target;
}

function* withChildren(tokens) {
  for (const token of tokens) {
    yield token;
    if (token.children) yield* withChildren(token.children);
  }
}

function adjust(token, page) {
  const href = token.type === 'link_open' ? token.attrGet('href') : null;
  const outside = href === null ? null : outsideAddress(page, href);
  if (outside !== null) token.attrSet('href', outside);
  if (token.type !== 'th_open' && token.type !== 'td_open') return;
  const [, side] = /text-align:(\w+)/.exec(token.attrGet('style') ?? '') ?? [];
  token.attrs = (token.attrs ?? []).filter(([name]) => name !== 'style');
  if (side !== undefined) token.attrJoin('class', `to-${side}`);
}

export function addPageRules(md) {
  // Templates in our examples look like Vue's, and no text of a page is one.
  const asText = (text) => md.utils.escapeHtml(text).replaceAll('{{', '&#123;{');
  md.renderer.rules.text = (tokens, index) => asText(tokens[index].content);
  md.renderer.rules.code_inline = (tokens, index) => `<code>${asText(tokens[index].content)}</code>`;
  md.core.ruler.push('inlet-pages', ({ tokens, env }) => {
    for (const token of withChildren(tokens)) adjust(token, env.relativePath ?? '');
    // A heading without a word heads nothing.
    for (const [index, { type }] of tokens.entries())
      if (type === 'th_open' && tokens[index + 1].content === '')
        for (const at of [index, index + 2]) tokens[at].tag = 'td';
  });
}

/** A page is also found by its description, and by the `keywords` that people look for and the page does not use. Where to go next is no answer. */
export function renderForSearch(text, env, md) {
  const html = md.render(text, env).replace(/<h2 id="next"[\s\S]*/, '');
  const { description = '', keywords = '' } = env.frontmatter ?? {};
  return html.replace('</h1>', () => `</h1>\n<p>${md.utils.escapeHtml(`${description} ${keywords}`)}</p>`);
}
