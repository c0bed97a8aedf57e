/**
 * Telegram's Bot API: reads the HTML according to https://core.telegram.org/bots/api#html-style, and reports what Telegram would make of
 * it. Outside code and links, it turns a lot of text into links.
 */
import { checkerOf, exactly, type Provider, startProvider, text } from './provider.js';

const problemOf = checkerOf(
  exactly({
    chat_id: text(40),
    text: { type: 'string' },
    parse_mode: { const: 'HTML' },
    'link_preview_options?': exactly({ is_disabled: { const: true } }),
  }),
);

const tags = /^(b|strong|i|em|u|ins|s|strike|del|code|pre|blockquote|tg-spoiler)$/;
const token = /<(\/?)([a-z-]+)(?: href="([^"<>]*)")?>|&(lt|gt|amp|quot);|[^<>&]+|./gsu;
const characters: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };

interface Read {
  readonly shown: string;
  readonly entities: readonly string[];
  /** The text outside code and links. */
  readonly bare: string;
}

function readHtml(html: string): Read {
  const open: string[] = [];
  const entities: string[] = [];
  let shown = '';
  let bare = '';
  for (const [found, slash, tag, href, character] of html.matchAll(token)) {
    if (tag === undefined) {
      const letters = character === undefined ? found : (characters[character] ?? '');
      if (character === undefined && /[<>&]/.test(found)) throw new Error(`a bare ${found}`);
      shown += letters;
      const isInert = open.some((name) => /^(code|pre|a)$/.test(name));
      bare += isInert ? '\n' : letters;
    } else if (slash === '/') {
      if (open.pop() !== tag) throw new Error(`unexpected end tag ${tag}`);
    } else {
      if (tag === 'a' ? href === undefined : !tags.test(tag) || href !== undefined)
        throw new Error(`unsupported start tag ${tag}`);
      open.push(tag);
      entities.push(tag === 'a' ? `link ${href}` : tag);
    }
  }
  if (open.length > 0) throw new Error(`no end tag of ${open.at(-1)}`);
  return { shown, entities, bare };
}

const contentOf = (body: string): Read => readHtml((JSON.parse(body) as { readonly text: string }).text);

export const telegramToken = '123456789:AAabcdefghijklmnopqrstuvwxyz_012345';

function htmlProblemOf(body: string): string | null {
  try {
    const { shown, entities } = contentOf(body);
    if (shown.trim() === '') return 'message text is empty';
    if (shown.length > 4_096) return `message is too long: ${shown.length}`;
    return entities.length > 100 ? 'too many entities: those at the end are forgotten' : null;
  } catch (error) {
    return `can't parse entities: ${String(error)}`;
  }
}

export const startTelegram = (): Promise<Provider> =>
  startProvider(({ method, path, headers, body }) => {
    const refused = (status: number, description: string) => ({
      status,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ok: false, error_code: status, description }),
    });
    if (method !== 'POST' || path !== `/bot${telegramToken}/sendMessage`) return refused(404, 'Not Found');
    if (headers.get('content-type') !== 'application/json') return refused(400, 'Bad Request: no body');
    const problem = problemOf(String(body)) ?? htmlProblemOf(String(body));
    if (problem !== null) return refused(400, `Bad Request: ${problem}`);
    return { body: JSON.stringify({ ok: true, result: { message_id: 1 } }) };
  });

/** Addresses with and without a scheme or a mailbox, mentions, hashtags, cashtags, commands. */
const automatic =
  /[a-z][a-z0-9+.-]*:\/\/\S+|[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*\.\p{L}{2,}|@\w{2,}|#[\p{L}\p{N}_]+|\$[A-Z]{1,8}\b|(?<![\p{L}\p{N}/])\/\w+/giu;

export function activeInTelegram(body: string): readonly string[] {
  const { entities, bare } = contentOf(body);
  return [...entities.filter((entity) => !/^(code|pre)$/.test(entity)), ...(bare.match(automatic) ?? [])];
}
