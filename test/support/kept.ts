/** What the service stored: submissions through its own API, files from the disk. */
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Answer, client } from './client.js';
import { pauses } from './pauses.js';
import type { RunningServer } from './server.js';

/** Every file below DATA_DIR/files except trash and the owner's mark, half-written ones included. A renamed one counts once. */
export async function keptFiles(server: RunningServer): Promise<readonly string[]> {
  const folder = join(server.dataDir, 'files');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter(
    (entry) => entry.isFile() && entry.name !== '.instance' && basename(entry.parentPath) !== '.trash',
  );
  const names = new Set(files.map((entry) => entry.name));
  return files
    .filter(({ name }) => !names.has(name.slice(0, Math.max(0, name.lastIndexOf('.')))))
    .map((entry) => join(entry.parentPath, entry.name));
}

export async function keptSubmissions(
  server: RunningServer,
  formId: string,
): Promise<readonly { id: string; data: Record<string, unknown> }[]> {
  const answer = await client(server.url).get(`/api/v1/forms/${formId}/submissions?limit=100`);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body.data;
}

/** The numbers of submissions and files, to compare before and after. */
export async function kept(
  server: RunningServer,
  formId: string,
): Promise<{ submissions: number; files: number }> {
  const [submissions, files] = await Promise.all([keptSubmissions(server, formId), keptFiles(server)]);
  return { submissions: submissions.length, files: files.length };
}

export const getSubmission = (server: RunningServer, id: string): Promise<Answer> =>
  client(server.url).get(`/api/v1/submissions/${id}`);

/** The stored fields as text, with the order, numbers and names that a parser would change. */
export async function dataText(server: RunningServer, id: string): Promise<string> {
  const { status, text } = await getSubmission(server, id);
  if (status !== 200) throw new Error(`${status} ${text}`);
  const start = text.indexOf('"data":') + '"data":'.length;
  const end = text.lastIndexOf(',"files":');
  return text.slice(start, end);
}

export async function waitUntil(
  condition: () => Promise<boolean> | boolean,
  withinMs = 45_000,
): Promise<void> {
  const until = Date.now() + withinMs;
  const pause = pauses();
  while (!(await condition())) {
    if (Date.now() > until) throw new Error(`Still not so after ${withinMs} ms`);
    await pause();
  }
}
