/**
 * Microsoft Teams: a workflow that starts "when a Teams webhook request is received", or a legacy incoming webhook.
 * https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
 *
 * Visitors' text goes into text runs, which have no Markdown. A mention needs an entity in the card, and the card has none.
 * Clients may still turn a bare URL into a link, which cannot be prevented. It then leads where it says.
 */
import { oneLine } from '../../kernel/shown-text.js';
import type { DestinationKind, SubmissionEvent } from '../../ports/destination-kind.js';
import { createChatHook, partOf, readJson } from './chat-hook.js';
import { escapedMarkdown, shortenedMarkdown } from './chat-markdown.js';
import { fittedAll, leftOut, openLabel, summaryOf, templateText } from './chat-summary.js';
import type { HttpCalls, Judge } from './http-call.js';

/** Teams accepts about 28 KB, and documents that this includes more than the message. */
const maxBytes = 24_000;
/** From everything useful down to what always fits. */
const amounts = [
  { chars: 6_000, fields: 40, files: 20, lines: 60 },
  { chars: 2_500, fields: 40, files: 10, lines: 10 },
  { chars: 800, fields: 20, files: 3, lines: 3 },
] as const;
type Amount = (typeof amounts)[number];
const maxValueChars = 2_000;

export function createTeams({ calls }: { calls: HttpCalls }): DestinationKind<'teams'> {
  return createChatHook(calls, { name: 'teams', bodyOf: messageOf, judge });
}

function messageOf(event: SubmissionEvent): object {
  const written = templateText(event, escaped);
  let message: object = {};
  for (const amount of amounts) {
    const content = written === null ? cardOf(event, amount) : textOf(written, amount.chars);
    message = wrapped(content, event.link);
    if (Buffer.byteLength(JSON.stringify(message)) <= maxBytes) break;
  }
  return message;
}

const wrapped = (body: readonly object[], link: string): object => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body,
        actions: [{ type: 'Action.OpenUrl', title: openLabel, url: link }],
      },
    },
  ],
});

function cardOf(event: SubmissionEvent, amount: Amount): readonly object[] {
  const { title, about, fields, files, more } = summaryOf(event, amount);
  const values = fittedAll(
    fields.map(({ text }) => text),
    { each: maxValueChars, together: amount.chars },
    (value) => value,
  );
  const rest = leftOut(more);
  return [
    block([run(title, { size: 'large', weight: 'bolder' })]),
    block([run(about, { size: 'small', isSubtle: true })], 'none'),
    ...fields.flatMap(({ label }, index) => [
      block([run(label, { weight: 'bolder' })], 'medium'),
      ...linesOf(values[index] ?? '', amount.lines).map((line) => block([run(line)], 'none')),
    ]),
    ...files.map((file) =>
      block([
        run(file.name, { selectAction: { type: 'Action.OpenUrl', url: file.link } }),
        run(` (${file.size})`),
      ]),
    ),
    ...(rest === null ? [] : [block([run(rest, { isSubtle: true })])]),
  ];
}

const block = (inlines: readonly object[], spacing = 'default'): object => ({
  type: 'RichTextBlock',
  spacing,
  inlines,
});
const run = (text: string, style: object = {}): object => ({
  type: 'TextRun',
  text: literal(text),
  ...style,
});

/** One block per line, because a text run ends with its line. */
function linesOf(text: string, most: number): readonly string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length <= most ? lines : [...lines.slice(0, most), '…'];
}

/** Cards expand {{DATE(…)}}. An invisible word joiner between the braces prevents that. */
const literal = (text: string): string => text.replace(/\{(?=\{)/g, '{\u2060');

/** One paragraph per line, because not every client shows a single line break. */
function textOf(written: string, maxChars: number): readonly object[] {
  if (written === '') return [];
  const text = shortenedMarkdown(written, maxChars);
  return [{ type: 'TextBlock', text: text.replace(/\n+/g, '\n\n'), wrap: true }];
}

const escaped = (text: string): string => literal(escapedMarkdown(text));

/** Legacy webhooks report failures with status 200: …endpoint returned HTTP error 429… */
const oldFailure = /webhook message delivery failed|endpoint returned HTTP error/i;

const judge: Judge = ({ status, response }) => {
  if (status === 200 && oldFailure.test(response ?? ''))
    return { end: 'failed', error: `http_4xx: ${oneLine(response ?? '', 200)}`, retryAfterMs: null };
  if (status === null || status < 400 || status >= 500 || status === 429 || status === 410) return null;
  if (status === 413)
    return { end: 'rejected', error: 'http_4xx: The message is too large for Teams', retryAfterMs: null };
  // Workflow errors: WorkflowNotFound, WorkflowTriggerIsNotEnabled, DirectApiAuthorizationRequired and so on. All can be fixed.
  const said = partOf(partOf(readJson(response), 'error'), 'message');
  if (typeof said !== 'string') return null;
  return { end: 'failed', error: `http_4xx: Teams responded: ${oneLine(said, 200)}`, retryAfterMs: null };
};
