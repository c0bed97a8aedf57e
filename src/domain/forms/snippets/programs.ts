/** Programs that submit to the form: page scripts and servers. */
import { type Example, exampleJson, examples } from './examples.js';
import { notes, quoted, type SnippetSubject } from './subject.js';

/** The value as a literal of a language that writes lists in brackets. */
const literal = (value: Example, quote: (text: string) => string, truth = 'true'): string => {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number') return String(value);
  return typeof value === 'boolean' ? truth : `[${value.map(quote).join(', ')}]`;
};

/** A plain `__proto__` key in a literal would not become a member of the object. */
const jsKey = (name: string): string => {
  if (name === '__proto__') return `['${name}']`;
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
};

export const fetchCode = (subject: SnippetSubject): string =>
  [
    ...notes(subject, '//'),
    `const response = await fetch(${quoted(subject.endpoint)}, {`,
    "  method: 'POST',",
    "  headers: { 'Content-Type': 'application/json' },",
    '  body: JSON.stringify({',
    ...examples(subject.fields).map(([name, value]) => `    ${jsKey(name)}: ${literal(value, quoted)},`),
    '    _page: location.href,',
    '  }),',
    '});',
    'const result = await response.json();',
    'if (!response.ok) throw new Error(result.error);',
    'console.log(result.submission_id);',
    '',
  ].join('\n');

const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export const curl = (subject: SnippetSubject): string =>
  [
    ...notes(subject, '#'),
    `curl ${shellQuoted(subject.endpoint)} \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d ${shellQuoted(exampleJson(subject.fields))}`,
    '',
  ].join('\n');

/** A server has no origin: if the form requires one, the server sends the form's service key instead. */
const keyNote = (comment: string): string =>
  `${comment} If the form allows only some origins, also send its service key: X-Service-Key.`;

/** PHP has only two escapes inside single quotes. */
const phpQuoted = (text: string): string => `'${text.toWellFormed().replaceAll(/[\\']/g, '\\$&')}'`;

export const php = (subject: SnippetSubject): string =>
  [
    '<?php',
    ...notes(subject, '//'),
    '$response = file_get_contents(',
    `    ${phpQuoted(subject.endpoint)},`,
    '    false,',
    '    stream_context_create([',
    "        'http' => [",
    "            'method' => 'POST',",
    `            ${keyNote('//')}`,
    "            'header' => 'Content-Type: application/json',",
    "            'content' => json_encode([",
    ...examples(subject.fields).map(
      ([name, value]) => `                ${phpQuoted(name)} => ${literal(value, phpQuoted)},`,
    ),
    '            ]),',
    "            'ignore_errors' => true,",
    '        ],',
    '    ]),',
    ');',
    "if ($response === false) throw new RuntimeException('Inlet cannot be reached');",
    '$result = json_decode($response, true);',
    "if (!isset($result['submission_id'])) throw new RuntimeException($result['error']);",
    "echo $result['submission_id'];",
    '',
  ].join('\n');

export const python = (subject: SnippetSubject): string =>
  [
    'import json',
    'from urllib.request import Request, urlopen',
    '',
    ...notes(subject, '#'),
    'request = Request(',
    `    ${quoted(subject.endpoint)},`,
    '    data=json.dumps({',
    ...examples(subject.fields).map(
      ([name, value]) => `        ${quoted(name)}: ${literal(value, quoted, 'True')},`,
    ),
    '    }).encode(),',
    `    ${keyNote('#')}`,
    "    headers={'Content-Type': 'application/json'},",
    ')',
    'with urlopen(request) as response:  # raises HTTPError if the submission is rejected',
    "    print(json.load(response)['submission_id'])",
    '',
  ].join('\n');
