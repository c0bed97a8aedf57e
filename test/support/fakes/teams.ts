/**
 * The webhook of a Teams workflow: checks messages against the relevant part of https://adaptivecards.io/schemas/adaptive-card.json, and
 * reports what Teams would make of them.
 */
import { activeInMarkdown } from './markdown.js';
import { checkerOf, exactly, list, type Provider, startProvider, text, typed, webUrl } from './provider.js';

const maxBytes = 28_000;
const open = { type: { const: 'Action.OpenUrl' }, 'title?': text(1_000), url: webUrl };
const oneOf = (...words: readonly string[]) => ({ type: 'string', enum: words });
const spacing = oneOf('default', 'none', 'small', 'medium', 'large', 'extraLarge', 'padding');
const run = exactly({
  type: { const: 'TextRun' },
  text: text(30_000),
  'size?': oneOf('default', 'small', 'medium', 'large', 'extraLarge'),
  'weight?': oneOf('default', 'lighter', 'bolder'),
  'isSubtle?': { type: 'boolean' },
  'selectAction?': exactly(open),
});
const element = typed({
  RichTextBlock: { inlines: list(run, 100), 'spacing?': spacing },
  TextBlock: { text: text(30_000), 'wrap?': { type: 'boolean' }, 'spacing?': spacing },
});

const problemOf = checkerOf(
  exactly({
    type: { const: 'message' },
    attachments: list(
      exactly({
        contentType: { const: 'application/vnd.microsoft.card.adaptive' },
        'contentUrl?': { type: 'null' },
        content: exactly({
          $schema: { const: 'http://adaptivecards.io/schemas/adaptive-card.json' },
          type: { const: 'AdaptiveCard' },
          version: oneOf('1.2', '1.3', '1.4', '1.5'),
          body: { type: 'array', items: element },
          actions: list(exactly(open), 6),
        }),
      }),
      1,
    ),
  }),
);

export const teamsPath =
  '/workflows/0123456789abcdef0123456789abcdef/triggers/manual/paths/invoke' +
  '?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=Sig-nature_0123456789abcdefghijklmnopqrstuv';

export const startTeams = (): Promise<Provider> =>
  startProvider(({ method, path, headers, body }) => {
    const refused = (status: number, code: string, message: string) => ({
      status,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ error: { code, message } }),
    });
    if (method !== 'POST' || path !== teamsPath) return refused(404, 'WorkflowNotFound', 'No such workflow');
    if (headers.get('content-type') !== 'application/json') return refused(400, 'BadRequest', 'Content-Type');
    if (body.length > maxBytes) return refused(413, 'RequestEntityTooLarge', String(body.length));
    const problem = problemOf(String(body));
    return problem === null ? { status: 202 } : refused(400, 'TriggerInputSchemaMismatch', problem);
  });

interface Part {
  readonly type?: string;
  readonly text?: string;
  readonly url?: string;
  readonly [name: string]: unknown;
}

export function activeInTeams(body: string): readonly string[] {
  const activeIn = (part: unknown): readonly string[] => {
    if (Array.isArray(part)) return part.flatMap(activeIn);
    if (typeof part !== 'object' || part === null) return [];
    const { type, text: shown = '', url, ...others } = part as Part;
    const inner = Object.values(others).flatMap(activeIn);
    const functions = shown.match(/\{\{\w+\(/g) ?? [];
    if (type === 'TextBlock') return [...inner, ...functions, ...activeInMarkdown(shown)];
    if (type === 'TextRun') return [...inner, ...functions];
    return url === undefined ? inner : [...inner, `link ${url}`];
  };
  return activeIn(JSON.parse(body));
}
