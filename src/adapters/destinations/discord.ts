/**
 * Discord's webhooks: https://discord.com/developers/docs/resources/webhook#execute-webhook
 *
 * Everything goes into an embed, where mentions notify no one and URLs are not unfurled. (SUPPRESS_EMBEDS is not set: it
 * would hide our own embed.) A backslash escapes every markup character, and the colon that turns a bare URL into a link.
 */
import { oneLine } from '../../kernel/shown-text.js';
import type { DestinationKind, SubmissionEvent } from '../../ports/destination-kind.js';
import { createChatHook, partOf, readJson } from './chat-hook.js';
import { escapedMarkdown, shortenedMarkdown } from './chat-markdown.js';
import {
  fitted,
  fittedAll,
  leftOut,
  openLabel,
  type SummaryField,
  summaryOf,
  templateText,
} from './chat-summary.js';
import { type HttpCalls, type Judge, retryAfterMs } from './http-call.js';

/** https://discord.com/developers/docs/resources/message#embed-object-embed-limits */
const limits = { title: 256, description: 4_096, value: 1_024, total: 6_000 };
/** An embed has at most 25 fields: these, up to two for files, one for what is left out and one for the link. */
const shown = { fields: 20, files: 10 };
const nameChars = 120;
const fileFields = 2;

export function createDiscord({ calls }: { calls: HttpCalls }): DestinationKind<'discord'> {
  return createChatHook(calls, {
    name: 'discord',
    bodyOf: (event) => ({
      embeds: [{ ...embedOf(event), timestamp: new Date(event.submission.createdAt).toISOString() }],
      allowed_mentions: { parse: [] },
    }),
    judge,
  });
}

interface EmbedField {
  readonly name: string;
  readonly value: string;
}

interface Embed {
  readonly title?: string;
  readonly description?: string;
  readonly fields: readonly EmbedField[];
  readonly footer?: { readonly text: string };
}

function embedOf(event: SubmissionEvent): Embed {
  const open = { name: noName, value: linkTo(openLabel, event.link) };
  const written = templateText(event, escapedMarkdown);
  if (written === '') return { fields: [open] };
  if (written !== null)
    return { description: shortenedMarkdown(written, limits.description), fields: [open] };
  const { fields, files, more, project, ...summary } = summaryOf(event, shown);
  const title = fitted(summary.title, limits.title, escapedMarkdown);
  const lines = files.map((file) => `${linkTo(file.name, file.link)} (${file.size})`);
  const packed = packedLines(lines).slice(0, fileFields);
  const shownFiles = packed.join('\n').split('\n').length;
  const rest = leftOut({ ...more, files: more.files + Math.max(0, files.length - shownFiles) });
  const others: readonly EmbedField[] = [
    ...packed.map((value, index) => ({ name: index === 0 ? 'Files' : noName, value })),
    ...(rest === null ? [] : [{ name: noName, value: rest }]),
    open,
  ];
  const frame = { title, ...(project === '' ? {} : { footer: { text: project } }) };
  const left = limits.total - sizeOf({ ...frame, fields: others });
  return { ...frame, fields: [...fieldsOf(fields, left), ...others] };
}

function fieldsOf(fields: readonly SummaryField[], together: number): readonly EmbedField[] {
  const names = fields.map(({ label }) => fitted(label, nameChars, escapedMarkdown));
  const values = fittedAll(
    fields.map(({ text }) => text),
    { each: limits.value, together: together - names.join('').length },
    escapedMarkdown,
  );
  return names.map((name, index) => ({ name, value: values[index] ?? '' }));
}

/** A field must have a name. This one is invisible. */
const noName = '\u200b';

const sizeOf = ({ title = '', footer, fields }: Embed): number =>
  title.length +
  (footer?.text.length ?? 0) +
  fields.reduce((size, { name, value }) => size + name.length + value.length, 0);

/** Packs the lines into as few texts as possible. Drops lines that are too long for any. */
function packedLines(lines: readonly string[]): readonly string[] {
  const texts: string[] = [];
  for (const line of lines) {
    const last = texts.at(-1);
    if (last !== undefined && last.length + 1 + line.length <= limits.value)
      texts[texts.length - 1] = `${last}\n${line}`;
    else if (line.length <= limits.value) texts.push(line);
  }
  return texts;
}

const linkTo = (label: string, url: string): string =>
  `[${fitted(label, nameChars, escapedMarkdown)}](${url.replace(/[()\s\\]/g, encodeURIComponent)})`;

const codes = { unknownWebhook: 10_015, emptyMessage: 50_006, invalidBody: 50_035 };

const judge: Judge = ({ status, response }) => {
  if (status === null || status < 400 || status >= 500) return null;
  const document = readJson(response);
  const code = partOf(document, 'code');
  const seconds = partOf(document, 'retry_after');
  if (status === 429)
    return typeof seconds === 'number'
      ? { end: 'failed', error: 'http_4xx', retryAfterMs: retryAfterMs(String(Math.ceil(seconds)), 0) }
      : null;
  const said = partOf(document, 'message');
  if (typeof said !== 'string') return null;
  const words = `Discord responded: ${oneLine(said, 200)}`;
  // Discord restricts clients that keep calling a deleted webhook: https://discord.com/developers/docs/topics/rate-limits
  if (status === 404 && code === codes.unknownWebhook)
    return { end: 'gone', error: `gone: ${words}; the webhook was deleted`, retryAfterMs: null };
  const isRejected = status === 400 && (code === codes.emptyMessage || code === codes.invalidBody);
  return { end: isRejected ? 'rejected' : 'failed', error: `http_4xx: ${words}`, retryAfterMs: null };
};
