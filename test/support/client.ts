/** A client written from the API contract alone. */
import { checkResponse } from './document-check.js';
import { apiKey } from './server.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests check what is in it
  readonly body: any;
}

export interface Client {
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  patch(path: string, body: unknown): Promise<Answer>;
  delete(path: string, body?: unknown): Promise<Answer>;
}

export async function request(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const text = await response.text();
  checkResponse({
    method: init.method ?? 'GET',
    url: init.redirect === 'follow' ? response.url : url,
    status: response.status,
    type: response.headers.get('content-type'),
    text,
  });
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch {
    // Not JSON; the test looks at the text.
  }
  return { status: response.status, headers: response.headers, text, body };
}

/** The management API, with an API key. */
export function client(baseUrl: string, key: string | null = apiKey): Client {
  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    request(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    patch: (path, body) => call('PATCH', path, body),
    delete: (path, body) => call('DELETE', path, body),
  };
}

export interface MadeForm {
  readonly projectId: string;
  readonly formId: string;
  readonly publicId: string;
  readonly endpoint: string;
}

/** A project with one form. The rate limit is out of reach unless the test is about it. */
export async function makeForm(
  baseUrl: string,
  settings: { project?: Record<string, unknown>; form?: Record<string, unknown>; key?: string } = {},
): Promise<MadeForm> {
  const api = client(baseUrl, settings.key ?? apiKey);
  const project = await api.post('/api/v1/projects', {
    name: 'Website',
    rate_limit_per_minute: 10_000_000,
    ...settings.project,
  });
  if (project.status !== 201) throw new Error(`project: ${project.status} ${project.text}`);
  const form = await api.post(`/api/v1/projects/${project.body.id}/forms`, {
    name: 'Contact',
    ...settings.form,
  });
  if (form.status !== 201) throw new Error(`form: ${form.status} ${form.text}`);
  return {
    projectId: project.body.id,
    formId: form.body.id,
    publicId: form.body.public_id,
    endpoint: form.body.endpoint,
  };
}

export const submitJson = (
  endpoint: string,
  fields: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  request(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(fields),
  });
