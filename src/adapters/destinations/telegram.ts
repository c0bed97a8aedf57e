/**
 * Telegram's Bot API: https://core.telegram.org/bots/api#sendmessage
 *
 * Telegram turns addresses, mentions, hashtags and commands into links everywhere except in code. So values are code,
 * which also makes them easy to copy. In labels, invisible word joiners break up those words.
 */
import { oneLine } from '../../kernel/shown-text.js';
import type { DestinationKind, SubmissionEvent } from '../../ports/destination-kind.js';
import { jsonHeaders, partOf, readJson } from './chat-hook.js';
import { fittedAll, leftOut, openLabel, summaryOf, templateText } from './chat-summary.js';
import { type HttpCalls, type Judge, retryAfterMs } from './http-call.js';
import { escapedHtml, telegramHtml } from './telegram-html.js';

/** "1-4096 characters after entities parsing". Of the 100 entities, a field takes two and a file one. */
const maxChars = 4_096;
const shown = { fields: 30, files: 10 };
const maxValueChars = 1_500;

export function createTelegram({
  calls,
  apiUrl,
}: {
  calls: HttpCalls;
  apiUrl: string;
}): DestinationKind<'telegram'> {
  const base = apiUrl.replace(/\/+$/, '');
  return {
    originOf: () => new URL(base).origin,
    prepare: (event, { config }) => [
      {
        address: config.chat_id,
        body: JSON.stringify({
          text: event.once('telegram', () => textOf(event)),
          parse_mode: 'HTML',
          link_preview_options: { is_disabled: true },
        }),
      },
    ],
    // Uses the destination's current chat id, so that a corrected id applies to waiting deliveries.
    send: ({ body }, { config: { token, chat_id: chat } }) =>
      calls.send(
        {
          method: 'POST',
          url: `${base}/bot${token}/sendMessage`,
          headers: jsonHeaders,
          body: `{"chat_id":${JSON.stringify(chat)},${body.slice(1)}`,
          secrets: [token, token.slice(token.indexOf(':') + 1)],
        },
        judge,
      ),
  };
}

function textOf(event: SubmissionEvent): string {
  const open = linkTo(openLabel, event.link);
  const written = templateText(event, code);
  if (written !== null) return `${telegramHtml(written, maxChars - openLabel.length - 2)}\n\n${open}`.trim();
  const { title, about, fields, files, more } = summaryOf(event, shown);
  const rest = leftOut(more);
  const labels = fields.map(({ label }) => unlinked(label));
  const fixed = [
    title,
    about,
    ...labels,
    ...files.map(({ name, size }) => `${name} (${size})`),
    rest,
    openLabel,
  ];
  // Includes the line breaks around every part and value.
  const together = maxChars - fixed.join('\n\n\n').length - 2 * labels.length;
  const values = fittedAll(
    fields.map(({ text }) => text),
    { each: maxValueChars, together },
    (value) => value,
  );
  return [
    `<b>${escapedHtml(unlinked(title))}</b>\n${escapedHtml(about)}`,
    ...labels.map((label, index) => `<b>${escapedHtml(label)}</b>\n${code(values[index] ?? '')}`),
    files.map(({ name, size, link }) => `${linkTo(name, link)} (${size})`).join('\n'),
    rest ?? '',
    open,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const code = (text: string): string => (text === '' ? '' : `<code>${escapedHtml(text)}</code>`);
const linkTo = (label: string, url: string): string =>
  `<a href="${escapedHtml(url)}">${escapedHtml(label)}</a>`;
const unlinked = (text: string): string => text.replace(/[@#$/.:](?=\S)/g, '$&\u2060');

const judge: Judge = ({ status, response }) => {
  if (status === null || status < 400 || status >= 500) return null;
  const document = readJson(response);
  const said = partOf(document, 'description');
  const parameters = partOf(document, 'parameters');
  const seconds = partOf(parameters, 'retry_after');
  if (status === 429)
    return typeof seconds === 'number'
      ? { end: 'failed', error: 'http_4xx', retryAfterMs: retryAfterMs(String(Math.ceil(seconds)), 0) }
      : null;
  if (typeof said !== 'string') return null;
  const words = `Telegram responded: ${oneLine(said, 200)}`;
  if (status === 403 && /was deleted|is deactivated/.test(said))
    return { end: 'gone', error: `gone: ${words}`, retryAfterMs: null };
  if (status === 400 && /can't parse entities|too long|text is empty|must be non-empty/.test(said))
    return { end: 'rejected', error: `http_4xx: ${words}`, retryAfterMs: null };
  const moved = partOf(parameters, 'migrate_to_chat_id');
  const hint = typeof moved === 'number' ? `; its chat id is now ${moved}` : '';
  return { end: 'failed', error: `http_4xx: ${words}${hint}`, retryAfterMs: null };
};
