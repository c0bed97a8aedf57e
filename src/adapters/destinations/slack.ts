/**
 * Slack's incoming webhooks: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
 *
 * Visitors' text goes into `rich_text` blocks, whose text elements are shown literally: they have no syntax for mentions,
 * links or emoji, and `unlink` keeps bare URLs from becoming links.
 */
import { cut, oneLine } from '../../kernel/shown-text.js';
import type { DestinationKind, SubmissionEvent } from '../../ports/destination-kind.js';
import { createChatHook } from './chat-hook.js';
import {
  fitted,
  fittedAll,
  leftOut,
  openLabel,
  type SummaryFile,
  summaryOf,
  templateText,
  titleOf,
} from './chat-summary.js';
import type { HttpCalls, Judge } from './http-call.js';

/** Slack's limits: 50 blocks per message, 150 characters in a header, 3,000 in a section. None is published for rich text. */
const limits = { headerChars: 150, sectionChars: 3_000, fields: 40, files: 20 };
const valueChars = { each: 2_000, together: 8_000 };

export function createSlack({ calls }: { calls: HttpCalls }): DestinationKind<'slack'> {
  return createChatHook(calls, {
    name: 'slack',
    bodyOf: (event) => ({
      // Shown in notifications. Slack parses it as mrkdwn.
      text: escaped(`New submission: ${titleOf(event)}`),
      blocks: [...blocksOf(event), richText(link(openLabel, event.link))],
      unfurl_links: false,
      unfurl_media: false,
    }),
    judge,
  });
}

function blocksOf(event: SubmissionEvent): readonly object[] {
  const written = templateText(event, inert);
  if (written === '') return [];
  if (written !== null)
    return [
      {
        type: 'section',
        text: { type: 'mrkdwn', text: shortened(written), verbatim: true },
      },
    ];
  const { title, about, fields, files, more } = summaryOf(event, limits);
  const rest = leftOut(more);
  const values = fittedAll(
    fields.map((field) => field.text),
    valueChars,
    (value) => value,
  );
  return [
    { type: 'header', text: plain(fitted(title, limits.headerChars, (name) => name)) },
    { type: 'context', elements: [plain(about)] },
    ...fields.map(({ label }, index) =>
      richText(text(`${label}\n`, { bold: true }), text(values[index] ?? '')),
    ),
    ...(files.length === 0 ? [] : [richText(...files.flatMap(fileLine))]),
    ...(rest === null ? [] : [{ type: 'context', elements: [plain(rest)] }]),
  ];
}

const plain = (content: string): object => ({ type: 'plain_text', text: content, emoji: false });
const text = (content: string, style: object = {}): object => ({
  type: 'text',
  text: content,
  style: { ...style, unlink: true },
});
const link = (label: string, url: string): object => ({ type: 'link', url, text: label });
const fileLine = ({ name, size, link: url }: SummaryFile, index: number): readonly object[] => [
  ...(index === 0 ? [] : [text('\n')]),
  link(name, url),
  text(` (${size})`),
];
const richText = (...elements: readonly object[]): object => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements }],
});

const escaped = (value: string): string =>
  value.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

const lookAlikes: Readonly<Record<string, string>> = { '*': '∗', _: 'ˍ', '~': '∼', '`': 'ˋ', '>': '›' };

/**
 * Makes a value safe in mrkdwn, which has no way to escape its markup: the characters are replaced by look-alikes. An
 * underscore within a word stays, because addresses contain them. `>` is a quote only at the beginning of a line.
 */
const inert = (value: string): string =>
  escaped(
    value.replace(/[*~`]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|^[^\S\n]*>+/gmu, (found) =>
      Array.from(found, (mark) => lookAlikes[mark] ?? mark).join(''),
    ),
  );

function shortened(mrkdwn: string): string {
  if (mrkdwn.length <= limits.sectionChars) return mrkdwn;
  const kept = cut(mrkdwn, limits.sectionChars - 1);
  const opening = kept.lastIndexOf('<');
  const whole = opening > kept.lastIndexOf('>') ? kept.slice(0, opening) : kept;
  return `${whole.replace(/&[a-z]{0,4}$/, '')}…`;
}

/** Slack would reject the same bytes again. */
const badMessages =
  /^(invalid_payload|invalid_blocks|invalid_blocks_format|no_text|msg_too_long|msg_blocks_too_long)$/;
const reasons: Readonly<Record<string, string>> = {
  no_service: 'the webhook was removed or disabled, or the URL is wrong',
  no_active_hooks: 'the webhook is disabled',
  no_team: 'the workspace does not exist',
  team_disabled: 'the workspace is disabled',
  invalid_token: 'the URL is wrong or was revoked',
  channel_not_found: 'the channel does not exist',
  channel_is_archived: 'the channel is archived',
  action_prohibited: 'an administrator does not allow it',
  posting_to_general_channel_denied: 'posting to this channel is restricted',
};

/** Only 410 disables the destination: an unknown webhook may be a typo, and a disabled one can be enabled again. */
const judge: Judge = ({ status, response }) => {
  if (status === null || status < 400 || status >= 500 || status === 429) return null;
  const code = oneLine(response ?? '', 100);
  if (status === 400 && badMessages.test(code))
    return { end: 'rejected', error: `http_4xx: Slack rejected the message: ${code}`, retryAfterMs: null };
  const reason = Object.hasOwn(reasons, code) ? reasons[code] : undefined;
  if (reason === undefined) return null;
  const [end, fault] = status === 410 ? (['gone', 'gone'] as const) : (['failed', 'http_4xx'] as const);
  return { end, error: `${fault}: Slack responded ${code}: ${reason}`, retryAfterMs: null };
};
