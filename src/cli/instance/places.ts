/** Places as written on the command line: a folder, or the address of a service. */
import { readFileSync } from 'node:fs';
import { bucketUrl, serviceUrl } from '../../config/urls.js';
import type { FolderPlace, InstancePlace } from '../../transfer/places.js';
import type { ShelfPlace } from '../../transfer/shelf.js';
import { type Arguments, WrongUsage } from '../command.js';

const databaseUrl = serviceUrl(['postgres', 'postgresql'], 'postgres://user:password@host:5432/inlet');

const schemeOf = (text: string): string | null =>
  /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase() ?? null;

/** `@FILE` stands for the content of that file: every user of the machine can see a command line, and systemd logs it. */
const textOf = (text: string): string =>
  text.startsWith('@') ? readFileSync(text.slice(1), 'utf8').trim() : text;

/** The text itself is never quoted: it may contain a password. */
function placeAt<Kind extends 'postgres' | 's3'>(
  kind: Kind,
  {
    option,
    text,
    words,
  }: { readonly option: string; readonly text: string; readonly words: readonly string[] },
): FolderPlace | { readonly kind: Kind; readonly url: string } {
  if (schemeOf(text) === null) return { kind: 'folder', path: text };
  const type = kind === 's3' ? bucketUrl : databaseUrl;
  const url = type.parse(text);
  if (url.ok) return { kind, url: url.value };
  throw new WrongUsage(`--${option} ${url.wrong}. It is a folder, or ${type.expects}.`, words);
}

/** A place with backups, or one of them: a folder, a file, or `s3://bucket/prefix`. */
export function shelfPlace(option: string, text: string, words: readonly string[]): ShelfPlace {
  if (schemeOf(text) === null) return { kind: 'folder', path: text };
  const [, head = '', path = '', query = ''] = /^([^/?]+:\/\/[^/?]*)([^?]*)(.*)$/.exec(text) ?? [];
  const url = bucketUrl.parse(head + query);
  const prefix = path.replaceAll(/^\/+|\/+$/g, '');
  if (url.ok && /^[\w./-]*$/.test(prefix)) {
    return { kind: 's3', url: url.value, prefix: prefix === '' ? '' : `${prefix}/` };
  }
  const wrong = url.ok ? 'has a prefix with other characters than letters, digits and ._-/' : url.wrong;
  throw new WrongUsage(
    `${option} ${wrong}. It is a folder, or s3://bucket/prefix?endpoint=https://s3.example.com&region=eu.`,
    words,
  );
}

/** The files of a folder's database are in that folder, unless an option says otherwise. */
export function instancePlace(
  option: 'from' | 'to',
  args: Arguments,
  words: readonly string[],
): InstancePlace {
  const database = placeAt('postgres', { option, text: textOf(args.required(option)), words });
  const filesText = args.text(`${option}-files`);
  if (filesText !== null) {
    return { database, files: placeAt('s3', { option: `${option}-files`, text: textOf(filesText), words }) };
  }
  if (database.kind === 'folder') return { database, files: database };
  throw new WrongUsage(
    `--${option}-files is missing: PostgreSQL holds no files. Name the folder or the bucket (s3://…) that does.`,
    words,
  );
}
