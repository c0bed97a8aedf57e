/** Everything that an instance returns to those who manage it, so that two instances can be compared. */
import { createHash } from 'node:crypto';
import { client } from './client.js';
import { waitUntil } from './kept.js';
import { apiKey } from './server.js';

export type InstanceImage = Readonly<Record<string, unknown>>;

/** Tokens contain the time at which they were made. The rest of a link stays the same. */
const withoutTokens = (text: string): string => text.replace(/([?&]token=)[^&"]+/g, '$1…');

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The image of the account of this key, by path. `search`: words to search for in every form. */
export async function imageOf(
  url: string,
  key = apiKey,
  search: readonly string[] = [],
): Promise<InstanceImage> {
  const api = client(url, key);
  const image: Record<string, unknown> = {};

  // biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
  const look = async (path: string): Promise<any> => {
    const { status, text } = await api.get(path);
    const shown = withoutTokens(text).replaceAll(/"last_used_at":("[^"]*"|null)/g, '"last_used_at":…');
    image[path] = `${status} ${shown}`;
    return status === 200 ? JSON.parse(text) : null;
  };
  // biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
  const lookAtAll = async (path: string): Promise<any[]> => {
    const items = [];
    for (let cursor = ''; ; ) {
      const page = await look(`${path}${path.includes('?') ? '&' : '?'}limit=100${cursor}`);
      items.push(...page.data);
      if (page.next_cursor === null) return items;
      cursor = `&cursor=${page.next_cursor}`;
    }
  };
  const lookAtFile = async (id: string): Promise<void> => {
    const file = await look(`/api/v1/files/${id}`);
    if (file === null) return;
    for (const [name, wish] of [
      ['bytes', ''],
      ['small', '&w=64&f=webp'],
    ]) {
      const got = await fetch(`${file.download_url}${wish}`);
      const bytes = new Uint8Array(await got.arrayBuffer());
      image[`/api/v1/files/${id} ${name}`] = [got.status, got.headers.get('content-type'), hashOf(bytes)];
    }
  };

  for (const path of [
    '/account',
    '/api-keys',
    '/users',
    '/spam',
    '/deliveries/replays',
    '/labels',
    '/views',
    '/suppressed-addresses',
  ])
    await look(`/api/v1${path}`);
  const projects = await look('/api/v1/projects');
  for (const project of projects.data) {
    await look(`/api/v1/projects/${project.id}`);
    await look(`/api/v1/projects/${project.id}/deliveries`);
    await look(`/api/v1/projects/${project.id}/destinations`);
    const forms = await look(`/api/v1/projects/${project.id}/forms`);
    for (const form of forms.data) {
      const base = `/api/v1/forms/${form.id}`;
      for (const path of ['', '/aliases', '/destinations', '/spam', '/deliveries', '/rejections'])
        await look(`${base}${path}`);
      // The order of columns follows the learned fields, which are complete a moment after a start.
      await waitUntil(async () => (await api.get(`${base}/fields`)).body.is_complete !== false, 90_000);
      for (const format of ['csv', 'jsonl']) {
        const { text } = await api.get(`${base}/submissions/export?format=${format}`);
        image[`${base} ${format}`] = hashOf(Buffer.from(withoutTokens(text)));
      }
      for (const word of search) await lookAtAll(`${base}/submissions?q=${encodeURIComponent(word)}`);
      for (const submission of await lookAtAll(`${base}/submissions?folder=all`)) {
        await look(`/api/v1/submissions/${submission.id}/deliveries`);
        await look(`/api/v1/submissions/${submission.id}/notes`);
        const full = await look(`/api/v1/submissions/${submission.id}?include=inbox`);
        for (const file of full.files) await lookAtFile(file.id);
      }
    }
  }
  return image;
}
