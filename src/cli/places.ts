/** Places as they are written on the command line: a folder, or the address of a service. */
import type { ShelfPlace } from '../compose/backup-shelf.js';
import type { DatabasePlace, FilesPlace, InstancePlace } from '../compose/places.js';
import { bucketUrl, serviceUrl } from '../config/urls.js';
import { type Arguments, WrongUsage } from './command.js';

const databaseUrl = serviceUrl(['postgres', 'postgresql'], 'postgres://user:password@host:5432/inlet');

const schemeOf = (text: string): string | null =>
  /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase() ?? null;

/** The text itself is never quoted: it may hold a password. */
export function databasePlace(option: string, text: string, words: readonly string[]): DatabasePlace {
  if (schemeOf(text) === null) return { kind: 'folder', path: text };
  const url = databaseUrl.parse(text);
  if (url.ok) return { kind: 'postgres', url: url.value };
  throw new WrongUsage(`--${option} ${url.wrong}. It is a folder, or ${databaseUrl.expects}.`, words);
}

export function filesPlace(option: string, text: string, words: readonly string[]): FilesPlace {
  if (schemeOf(text) === null) return { kind: 'folder', path: text };
  const url = bucketUrl.parse(text);
  if (url.ok) return { kind: 's3', url: url.value };
  throw new WrongUsage(`--${option} ${url.wrong}. It is a folder, or ${bucketUrl.expects}.`, words);
}

/** Where backups stand, or one of them: a folder, a file, or `s3://bucket/prefix`. */
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

/** The address of one backup there. */
export const shelfAddress = ({ url, prefix }: Extract<ShelfPlace, { kind: 's3' }>, name: string): string => {
  const [, head = '', query = ''] = /^([^/?]+:\/\/[^/?]*)\/?(.*)$/.exec(url) ?? [];
  return `${head}/${prefix}${name}${query}`;
};

/** The files of a folder's database lie in that folder, unless said otherwise. */
export function instancePlace(
  option: 'from' | 'to',
  args: Arguments,
  words: readonly string[],
): InstancePlace {
  const database = databasePlace(option, args.required(option), words);
  const filesText = args.text(`${option}-files`);
  if (filesText !== null) return { database, files: filesPlace(`${option}-files`, filesText, words) };
  if (database.kind === 'folder') return { database, files: database };
  throw new WrongUsage(
    `--${option}-files is missing: PostgreSQL holds no files. Name the folder or the bucket (s3://…) that does.`,
    words,
  );
}
