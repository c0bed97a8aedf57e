/** Where an instance is stored, as passed to `inlet copy`: a data folder, or the addresses of a database and a store. */
import { realpath } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { maskUrl } from '../config/urls.js';

export type FolderPlace = { readonly kind: 'folder'; readonly path: string };
export type DatabasePlace = FolderPlace | { readonly kind: 'postgres'; readonly url: string };
/** For a folder, the `files` folder in it, as with DATA_DIR. */
export type FilesPlace = FolderPlace | { readonly kind: 's3'; readonly url: string };
export type Place = DatabasePlace | FilesPlace;

export interface InstancePlace {
  readonly database: DatabasePlace;
  readonly files: FilesPlace;
}

/** Without credentials. */
export const placeName = (place: Place): string =>
  place.kind === 'folder' ? resolve(place.path) : maskUrl(place.url);

const defaultPorts: Readonly<Record<string, string>> = { postgres: '5432', s3: '' };

/** Different spellings of the same place give the same text. */
async function identityOf(place: Place): Promise<string> {
  if (place.kind === 'folder') return realPathOf(resolve(place.path));
  const url = new URL(place.url);
  const host = url.searchParams.get('host') ?? url.hostname.toLowerCase();
  const port = url.port || defaultPorts[place.kind];
  const endpoint = url.searchParams.get('endpoint')?.replace(/\/+$/, '') ?? '';
  return `${place.kind}://${host}:${port}${url.pathname.replace(/\/+$/, '')} ${endpoint}`;
}

export const isSamePlace = async (one: Place, other: Place): Promise<boolean> =>
  (await identityOf(one)) === (await identityOf(other));

/** Whether `path` is `folder` or is inside it. Neither has to exist. */
export async function isInFolder(path: string, folder: string): Promise<boolean> {
  const [inner, outer] = [await realPathOf(resolve(path)), await realPathOf(resolve(folder))];
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}

/** Also works for a folder that does not exist yet, behind links that do. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error;
    return join(await realPathOf(parent), path.slice(parent.length));
  }
}
