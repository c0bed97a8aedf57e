/**
 * Slack's incoming webhooks: checks messages against
 * https://docs.slack.dev/reference/block-kit/blocks, and reports what Slack would make of them.
 */
import { checkerOf, exactly, list, type Provider, startProvider, text, typed, webUrl } from './provider.js';

const plain = exactly({ type: { const: 'plain_text' }, text: text(3_000), 'emoji?': { type: 'boolean' } });
const header = exactly({ type: { const: 'plain_text' }, text: text(150), 'emoji?': { type: 'boolean' } });
const mrkdwn = exactly({ type: { const: 'mrkdwn' }, text: text(3_000), 'verbatim?': { type: 'boolean' } });
const flag = { type: 'boolean' };
const style = exactly({ 'bold?': flag, 'italic?': flag, 'strike?': flag, 'code?': flag, 'unlink?': flag });
const inline = typed({
  text: { text: text(3_000), 'style?': style },
  link: { url: webUrl, 'text?': text(3_000), 'style?': style },
});

const problemOf = checkerOf(
  exactly({
    text: text(4_000),
    blocks: list(
      typed({
        header: { text: header },
        context: { elements: list({ anyOf: [plain, mrkdwn] }, 10) },
        section: { text: { anyOf: [plain, mrkdwn] } },
        rich_text: { elements: list(typed({ rich_text_section: { elements: list(inline, 100) } }), 10) },
      }),
      50,
    ),
    'unfurl_links?': flag,
    'unfurl_media?': flag,
  }),
);

export const slackPath = '/services/T0123ABCD/B0456EFGH/abcdefghijklmnopqrstuvwx';

export const startSlack = (): Promise<Provider> =>
  startProvider(({ method, path, headers, body }) => {
    if (method !== 'POST' || path !== slackPath) return { status: 404, body: 'no_service' };
    if (headers.get('content-type') !== 'application/json') return { status: 400, body: 'invalid_payload' };
    const problem = problemOf(String(body));
    return problem === null ? { body: 'ok' } : { status: 400, body: `invalid_blocks ${problem}` };
  });

interface Part {
  readonly type?: string;
  readonly text?: unknown;
  readonly url?: string;
  readonly emoji?: boolean;
  readonly verbatim?: boolean;
  readonly style?: { readonly unlink?: boolean };
  readonly elements?: readonly Part[];
  readonly blocks?: readonly Part[];
}

const reference = /<[^<>]*>/g;
const marks = /(?<![\p{L}\p{N}])([*_~`])\S.*?\1(?![\p{L}\p{N}])|```|^[^\S\n]*&gt;/gmu;
const automatic = /https?:\/\/\S+|(?<=^|\s)[@#]\w+/gi;

const inMrkdwn = (shown: string, isVerbatim: boolean): readonly string[] => [
  ...(shown.match(reference) ?? []),
  ...(shown.match(marks) ?? []),
  ...(isVerbatim ? [] : (shown.match(automatic) ?? [])),
];

export function activeInSlack(body: string): readonly string[] {
  const activeIn = (part: Part): readonly string[] => {
    const inner = [...(part.elements ?? []), ...(part.blocks ?? [])].flatMap(activeIn);
    if (typeof part.text === 'object' && part.text !== null) return [...inner, ...activeIn(part.text)];
    const shown = typeof part.text === 'string' ? part.text : '';
    if (part.type === undefined || part.type === 'mrkdwn')
      return [...inner, ...inMrkdwn(shown, part.verbatim === true)];
    if (part.type === 'link') return [...inner, `link ${part.url}`];
    if (part.type === 'plain_text' && part.emoji !== false)
      return [...inner, ...(shown.match(/:\w+:/g) ?? [])];
    if (part.type === 'text' && part.style?.unlink !== true)
      return [...inner, ...(shown.match(automatic) ?? [])];
    return inner;
  };
  return activeIn(JSON.parse(body) as Part);
}
