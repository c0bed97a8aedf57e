/**
 * What a client knows about its own requests: what it sent, and what the server acknowledged. Nothing here trusts the
 * server's memory: the ledger is what that memory is compared with.
 */
import { createHash, randomUUID } from 'node:crypto';
import { filePart, multipartBody, textPart } from './bodies.js';
import type { Answer } from './client.js';
import { client, request } from './client.js';
import type { Chance } from './seeded.js';

export interface Sent {
  readonly clientId: string;
  /** The data as it must be returned. */
  readonly data: Readonly<Record<string, string>>;
  readonly file: { readonly name: string; readonly size: number; readonly sha256: string } | null;
  readonly idempotencyKey: string | null;
  readonly contentType: string;
  readonly body: Buffer | string;
  /** Set once the complete success was received. Until then nothing is acknowledged. */
  promised: { submissionId: string; fileId: string | null } | null;
  /** How the request ended otherwise: with another response, or a broken connection. */
  fault: string | null;
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** One request of the load: four out of five are JSON, the fifth has a file of 0 bytes to 1 MB. */
export function composeRequest(chance: Chance, keyed: boolean): Sent {
  const clientId = randomUUID();
  const note = chance.bytes(chance.between(0, 2000)).toString('base64');
  const data = { client_id: clientId, note };
  const common = {
    clientId,
    data,
    idempotencyKey: keyed ? `key-${clientId}` : null,
    promised: null,
    fault: null,
  };
  if (chance.next() >= 0.2) {
    return { ...common, file: null, contentType: 'application/json', body: JSON.stringify(data) };
  }
  const bytes = chance.bytes(Math.floor(2 ** (chance.next() * 20)) - 1);
  const name = `${clientId}.bin`;
  const boundary = `b${clientId}`;
  return {
    ...common,
    file: { name, size: bytes.length, sha256: sha256(bytes) },
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: multipartBody(boundary, [
      textPart('client_id', clientId),
      filePart('upload', name, bytes, 'application/octet-stream'),
      textPart('note', note),
    ]),
  };
}

/** Sends the request and records the outcome. Returns null when there was no response. Never rejects: servers are killed here. */
export async function send(endpoint: string, sent: Sent): Promise<Answer | null> {
  sent.fault = null;
  let answer: Answer;
  try {
    answer = await request(endpoint, {
      method: 'POST',
      headers: {
        'content-type': sent.contentType,
        accept: 'application/json',
        ...(sent.idempotencyKey === null ? {} : { 'idempotency-key': sent.idempotencyKey }),
      },
      body: sent.body,
    });
  } catch (error) {
    sent.fault = `connection: ${String((error as Error).cause ?? error)}`;
    return null;
  }
  if (answer.status === 200 && answer.body?.success === true) {
    sent.promised = {
      submissionId: answer.body.submission_id,
      fileId: answer.body.files[0]?.id ?? null,
    };
  } else {
    sent.fault = `answer: ${answer.status} ${answer.text}`;
  }
  return answer;
}

export interface Listed {
  readonly id: string;
  readonly data: Record<string, string>;
  readonly files: readonly { id: string; field: string; filename: string; size: number }[];
}

/** Everything that the form lists, newest first. */
export async function listAll(baseUrl: string, formId: string): Promise<readonly Listed[]> {
  const all: Listed[] = [];
  let cursor = '';
  do {
    const page = await client(baseUrl).get(`/api/v1/forms/${formId}/submissions?limit=100${cursor}`);
    if (page.status !== 200) throw new Error(`list: ${page.status} ${page.text}`);
    all.push(...page.body.data);
    cursor = page.body.next_cursor === null ? '' : `&cursor=${encodeURIComponent(page.body.next_cursor)}`;
  } while (cursor !== '');
  return all;
}

/** The hash of what a client gets that follows the download. Returns null when it gets nothing. */
export async function downloadedHash(baseUrl: string, fileId: string): Promise<string | null> {
  const redirect = await client(baseUrl).get(`/api/v1/files/${fileId}/download`);
  const location = redirect.headers.get('location');
  if (location === null) return null;
  const content = await fetch(new URL(location, baseUrl));
  return content.ok ? sha256(new Uint8Array(await content.arrayBuffer())) : null;
}

/**
 * Compares what the server lists with the ledger, and names every difference: a
 * broken promise, a submission that is stored twice, or one that is incomplete.
 */
export function differences(ledger: readonly Sent[], listed: readonly Listed[]): readonly string[] {
  const found: string[] = [];
  const byClient = new Map<string, Listed[]>();
  for (const item of listed) {
    const id = item.data.client_id ?? '';
    byClient.set(id, [...(byClient.get(id) ?? []), item]);
  }
  for (const sent of ledger) {
    const items = byClient.get(sent.clientId) ?? [];
    byClient.delete(sent.clientId);
    const [item] = items;
    if (items.length > 1) found.push(`${sent.clientId} is there ${items.length} times`);
    if (sent.promised && item?.id !== sent.promised.submissionId) {
      found.push(
        `${sent.clientId} was promised as ${sent.promised.submissionId} and is ${item?.id ?? 'lost'}`,
      );
    }
    if (!item) continue;
    if (JSON.stringify(item.data) !== JSON.stringify(sent.data)) found.push(`${sent.clientId}: other data`);
    const wanted = sent.file ? [['upload', sent.file.name, sent.file.size]] : [];
    const files = item.files.map((file) => [file.field, file.filename, file.size]);
    if (JSON.stringify(files) !== JSON.stringify(wanted)) {
      found.push(`${sent.clientId}: files ${JSON.stringify(files)}, not ${JSON.stringify(wanted)}`);
    }
    if (sent.promised && (item.files[0]?.id ?? null) !== sent.promised.fileId) {
      found.push(`${sent.clientId}: the file has another id`);
    }
  }
  for (const id of byClient.keys()) found.push(`${id} was never sent`);
  return found;
}
