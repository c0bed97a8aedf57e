/** The error catalogue as a page to look codes up in. */

const cell = (text) => text.replaceAll('|', '\\|');

export function errorsMarkdown(catalogue, statusOfKind) {
  const rows = Object.entries(catalogue)
    .map(([code, { kind, text, remedy }]) => ({ code, text, remedy, status: statusOfKind(kind) }))
    .sort((a, b) => a.status - b.status);
  return [
    '# Errors',
    '',
    'Generated from the error catalogue, `src/model/error-catalogue.ts`; do not edit.',
    '',
    'Every error response is a JSON object with `error`, a text in English, and `code`. Texts can change; codes do not, so programs go by the code. Some errors have more fields, named below. Every response has an `X-Request-Id`, by which you find the request in the log.',
    '',
    'A browser that submits a form without a script gets a page instead, in the language of the visitor.',
    '',
    '| Status | `code` | `error` | What to do |',
    '|---|---|---|---|',
    ...rows.map(
      ({ status, code, text, remedy }) => `| ${status} | \`${code}\` | ${cell(text)} | ${cell(remedy)} |`,
    ),
    '',
  ].join('\n');
}
