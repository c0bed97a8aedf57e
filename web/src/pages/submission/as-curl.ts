/** An attempt's request as a shell command that sends the same bytes again. */
import type { AttemptFull } from '../../wire.js';

type SentRequest = NonNullable<AttemptFull['request']>;

/** Linux limits an argument to less than 128 KiB. The argument of a shell built-in does not count. */
const maxArgumentChars = 30_000;

/** Inside single quotes, only the quote itself is special to a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** curl sends a header without a value only if its name ends with a semicolon. */
const headerText = (name: string, value: string): string => (value === '' ? `${name};` : `${name}: ${value}`);

export function curlCommand({ method, url, headers, body }: SentRequest): string {
  const isLong = body.length > maxArgumentChars;
  const lines = [
    // Without globbing: a URL may contain brackets and braces.
    `curl --globoff --request ${method} ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `--header ${quoted(headerText(name, value))}`),
    isLong ? '--data-binary @-' : `--data-raw ${quoted(body)}`,
  ];
  const command = lines.join(' \\\n  ');
  return isLong ? `printf %s ${quoted(body)} | ${command}` : command;
}
