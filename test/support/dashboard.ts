/** A user's browser, as far as the management API sees it: a cookie, and the headers that no page can forge. */
import { type Answer, request } from './client.js';
import type { RunningServer } from './server.js';

export const admin = { email: 'ada@example.com', password: 'correct horse battery' };
/** For `startServer`: a server with a first user. */
export const withAdmin = { INLET_ADMIN_EMAIL: admin.email, INLET_ADMIN_PASSWORD: admin.password };

export const cookieName = 'inlet_session';
export const sameOrigin = { 'sec-fetch-site': 'same-origin' };

/** The value that a response sets the cookie to. Returns null when it sets none. */
export function cookieIn(answer: Answer, name = cookieName): string | null {
  const [line] = answer.headers.getSetCookie();
  return line?.startsWith(`${name}=`) ? (line.slice(name.length + 1).split(';', 1)[0] ?? '') : null;
}

/** The device cookie, as the browser sends it back. */
export const deviceIn = (answer: Answer): string =>
  answer.headers
    .getSetCookie()
    .find((line) => line.startsWith('inlet_device='))
    ?.split(';', 1)[0] ?? '';

export type Headers = Readonly<Record<string, string>>;

export const send = (
  url: string,
  method: string,
  path: string,
  headers: Headers = {},
  body?: unknown,
): Promise<Answer> =>
  request(`${url}/api/v1${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

export interface Person {
  readonly cookie: string;
  ask(method: string, path: string, body?: unknown, headers?: Headers): Promise<Answer>;
}

export const person = (url: string, token: string, name = cookieName): Person => {
  const cookie = `${name}=${token}`;
  return {
    cookie,
    ask: (method, path, body, headers = sameOrigin) => send(url, method, path, { cookie, ...headers }, body),
  };
};

/** Each sign-in comes from its own address, so that the limit per address is out of reach. */
let visitors = 0;
export const nextAddress = (): string => {
  visitors += 1;
  return `198.18.${visitors >> 8}.${visitors & 255}`;
};
/** For `startServer`: client addresses come from X-Forwarded-For. */
export const behindProxy = { TRUST_PROXY: 'loopback' };

export const signIn = (
  server: Pick<RunningServer, 'url'>,
  credentials: unknown = admin,
  headers: Headers = {},
): Promise<Answer> =>
  send(server.url, 'POST', '/session', { 'x-forwarded-for': nextAddress(), ...headers }, credentials);

export async function signedIn(
  server: Pick<RunningServer, 'url'>,
  { email, password }: { email: string; password: string } = admin,
): Promise<Person> {
  const answer = await signIn(server, { email, password });
  const token = cookieIn(answer);
  if (answer.status !== 200 || token === null) throw new Error(`sign-in: ${answer.status} ${answer.text}`);
  return person(server.url, token);
}

/** A user created through the API. A test that signs in often has its own. */
let people = 0;
export async function madePerson(
  server: Pick<RunningServer, 'url'>,
  key: string,
): Promise<{ id: string; email: string; password: string }> {
  people += 1;
  const credentials = { email: `person-${people}@example.com`, password: 'a long password' };
  const made = await send(server.url, 'POST', '/users', { authorization: `Bearer ${key}` }, credentials);
  if (made.status !== 201) throw new Error(`user: ${made.status} ${made.text}`);
  return { id: made.body.id, ...credentials };
}
