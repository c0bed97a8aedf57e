/**
 * Discord's webhooks: checks messages against https://discord.com/developers/docs/resources/message#embed-object, and
 * reports what Discord would make of them.
 */
import { activeInMarkdown } from './markdown.js';
import { checkerOf, exactly, list, type Provider, startProvider } from './provider.js';

/** Blank text is trimmed, and then counts as missing. */
const shownText = (maxLength: number) => ({ type: 'string', maxLength, pattern: '\\S' });

const problemOf = checkerOf(
  exactly({
    embeds: list(
      exactly({
        'title?': shownText(256),
        'description?': shownText(4_096),
        'timestamp?': { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' },
        'footer?': exactly({ text: shownText(2_048) }),
        'fields?': list(
          exactly({ name: shownText(256), value: shownText(1_024), 'inline?': { type: 'boolean' } }),
          25,
        ),
      }),
      10,
    ),
    allowed_mentions: exactly({ parse: { type: 'array', maxItems: 0 } }),
  }),
);

interface Embed {
  readonly title?: string;
  readonly description?: string;
  readonly footer?: { readonly text: string };
  readonly fields?: readonly { readonly name: string; readonly value: string }[];
}

const embedsOf = (body: string): readonly Embed[] =>
  (JSON.parse(body) as { readonly embeds: readonly Embed[] }).embeds;
const markdownOf = ({ title = '', description = '', fields = [] }: Embed): readonly string[] => [
  title,
  description,
  ...fields.flatMap(({ name, value }) => [name, value]),
];

const sizeOf = (embed: Embed): number =>
  markdownOf(embed).reduce((size, part) => size + part.length, embed.footer?.text.length ?? 0);

export const discordPath = '/api/webhooks/112233445566778899/Tok-en_0123456789abcdefghijklmnopqrstuvwxyz';

export const startDiscord = (): Promise<Provider> =>
  startProvider(({ method, path, headers, body }) => {
    const refused = (status: number, code: number, message: string) => ({
      status,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ message, code }),
    });
    if (method !== 'POST' || path !== discordPath) return refused(404, 10_015, 'Unknown Webhook');
    if (headers.get('content-type') !== 'application/json') return refused(400, 50_035, 'Content-Type');
    const problem =
      problemOf(String(body)) ??
      (embedsOf(String(body)).reduce((size, embed) => size + sizeOf(embed), 0) > 6_000
        ? 'Embed size exceeds maximum size of 6000'
        : null);
    return problem === null ? { status: 204 } : refused(400, 50_035, `Invalid Form Body: ${problem}`);
  });

export const activeInDiscord = (body: string): readonly string[] =>
  embedsOf(body).flatMap(markdownOf).flatMap(activeInMarkdown);
