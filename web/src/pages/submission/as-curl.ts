/** An attempt's request as a command for a shell: it sends the same bytes again. */
import type { AttemptFull } from '../../wire.js';

type SentRequest = NonNullable<AttemptFull['request']>;

/** Linux takes no argument of 128 KiB or more; what a shell prints itself is none. */
const maxArgumentChars = 30_000;

/** Nothing is special to a shell between single quotes but the quote itself. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** curl sends a header without a value only with a semicolon behind its name. */
const headerText = (name: string, value: string): string => (value === '' ? `${name};` : `${name}: ${value}`);

export function curlCommand({ method, url, headers, body }: SentRequest): string {
  const isLong = body.length > maxArgumentChars;
  const lines = [
    // Without globbing: a URL may have brackets and braces.
    `curl --globoff --request ${method} ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `--header ${quoted(headerText(name, value))}`),
    isLong ? '--data-binary @-' : `--data-raw ${quoted(body)}`,
  ];
  const command = lines.join(' \\\n  ');
  return isLong ? `printf %s ${quoted(body)} | ${command}` : command;
}
