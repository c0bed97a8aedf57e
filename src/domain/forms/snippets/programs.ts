/** Programs that submit to the form: scripts of a page, and servers. */
import { quoted, type SnippetSubject, tokenNote } from './subject.js';

export const fetchCode = (subject: SnippetSubject): string =>
  [
    ...tokenNote(subject, '//'),
    `const response = await fetch(${quoted(subject.endpoint)}, {`,
    "  method: 'POST',",
    "  headers: { 'Content-Type': 'application/json' },",
    '  body: JSON.stringify({',
    "    name: 'Ada Lovelace',",
    "    email: 'ada@example.com',",
    "    message: 'Hello',",
    '    _page: location.href,',
    '  }),',
    '});',
    'const result = await response.json();',
    'if (!response.ok) throw new Error(result.error);',
    'console.log(result.submission_id);',
    '',
  ].join('\n');

const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export const curl = ({ endpoint }: SnippetSubject): string =>
  [
    `curl ${shellQuoted(endpoint)} \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '{"name": "Ada Lovelace", "email": "ada@example.com", "message": "Hello"}'`,
    '',
  ].join('\n');

/** A server has no origin: where the form asks for one, its key is what it shows instead. */
const keyNote = (comment: string): string =>
  `${comment} If the form allows only some origins, also send its service key: X-Service-Key.`;

export const php = (subject: SnippetSubject): string =>
  [
    '<?php',
    ...tokenNote(subject, '//'),
    '$response = file_get_contents(',
    `    ${quoted(subject.endpoint)},`,
    '    false,',
    '    stream_context_create([',
    "        'http' => [",
    "            'method' => 'POST',",
    `            ${keyNote('//')}`,
    "            'header' => 'Content-Type: application/json',",
    "            'content' => json_encode([",
    "                'name' => 'Ada Lovelace',",
    "                'email' => 'ada@example.com',",
    "                'message' => 'Hello',",
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
    ...tokenNote(subject, '#'),
    'request = Request(',
    `    ${quoted(subject.endpoint)},`,
    '    data=json.dumps({',
    "        'name': 'Ada Lovelace',",
    "        'email': 'ada@example.com',",
    "        'message': 'Hello',",
    '    }).encode(),',
    `    ${keyNote('#')}`,
    "    headers={'Content-Type': 'application/json'},",
    ')',
    'with urlopen(request) as response:  # raises HTTPError if the submission is rejected',
    "    print(json.load(response)['submission_id'])",
    '',
  ].join('\n');
