/** The management API of the demo instance, called like the dashboard does: signed in with a session. */
import { randomBytes } from 'node:crypto';

export interface Created {
  readonly id: string;
  /** Only for a form; empty for everything else. */
  readonly endpoint: string;
}

export interface DemoApi {
  create(path: string, body: object): Promise<Created>;
  post(path: string, body: object): Promise<void>;
  /** The ids of the items on one page of a list. */
  ids(path: string): Promise<readonly string[]>;
  importRows(formId: string, rows: readonly object[], fileFields: readonly string[]): Promise<void>;
  /** As a visitor. */
  submit(
    url: string,
    body: FormData | URLSearchParams,
    headers: Record<string, string>,
    status?: number,
  ): Promise<void>;
}

export interface SignIn {
  readonly email: string;
  readonly password: string;
}

export const newPassword = (): string => randomBytes(12).toString('base64url');

async function send(url: string, init: RequestInit, status?: number): Promise<Response> {
  const response = await fetch(url, init);
  const isExpected = status === undefined ? response.ok : response.status === status;
  if (!isExpected) throw new Error(`${init.method} ${url}: ${response.status} ${await response.text()}`);
  return response;
}

/** A text field of a response; empty when it is missing. */
const textIn = (value: unknown, name: string): string => {
  const found = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof found === 'string' ? found : '';
};

export async function signInDemo(url: string, who: SignIn): Promise<DemoApi> {
  const json = { 'content-type': 'application/json', origin: new URL(url).origin };
  const root = `${url}/api/v1`;
  const session = await send(`${root}/session`, { method: 'POST', headers: json, body: JSON.stringify(who) });
  const cookie = session.headers
    .getSetCookie()
    .map((one) => one.split(';', 1)[0])
    .join('; ');
  const headers = { ...json, cookie };
  const post = (path: string, body: object): Promise<Response> =>
    send(root + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return {
    async create(path, body) {
      const made: unknown = await (await post(path, body)).json();
      return { id: textIn(made, 'id'), endpoint: textIn(made, 'endpoint') };
    },
    async post(path, body) {
      await post(path, body);
    },
    async ids(path) {
      const page: unknown = await (await send(root + path, { method: 'GET', headers })).json();
      const items = typeof page === 'object' && page !== null && 'data' in page ? page.data : [];
      return Array.isArray(items) ? items.map((item) => textIn(item, 'id')) : [];
    },
    async importRows(formId, rows, fileFields) {
      const map = JSON.stringify(Object.fromEntries(fileFields.map((field) => [field, '@file'])));
      await send(`${root}/forms/${formId}/import?files=1&map=${encodeURIComponent(map)}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(rows),
      });
    },
    async submit(endpoint, body, visit, status) {
      await send(
        endpoint,
        { method: 'POST', headers: { accept: 'application/json', ...visit }, body },
        status,
      );
    },
  };
}
