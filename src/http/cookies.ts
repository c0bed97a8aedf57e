/**
 * The cookies of the dashboard: who is signed in, which device signed in before, and a sign-in at an identity provider. Uses the cookie
 * package's parser and writer without its plugin, which would parse the cookies of every request, even with an API key.
 */
import { fastifyCookie, type SerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

export interface Cookie {
  /** Returns null when there is none. */
  read(request: FastifyRequest): string | null;
  write(reply: FastifyReply, value: string): void;
  clear(reply: FastifyReply): void;
}

const isSecure = (baseUrl: string): boolean => baseUrl.startsWith('https:');

/** On https the name binds the cookie to exactly this host. Plain http has no such names, and http://localhost must work. */
export const sessionCookieName = (baseUrl: string): string =>
  isSecure(baseUrl) ? '__Host-inlet_session' : 'inlet_session';

export const createSessionCookie = (baseUrl: string, maxAge: number): Cookie =>
  createCookie(sessionCookieName(baseUrl), {
    path: '/',
    sameSite: 'lax',
    secure: isSecure(baseUrl),
    maxAge,
  });

/** Only the sign-in reads it, so it is limited to the paths of the session. It outlives the session and signing out. */
export function createDeviceCookie(baseUrl: string, maxAge: number): Cookie {
  const secure = isSecure(baseUrl);
  // `__Host-` would need the path `/`. This prefix still prevents a page on plain http from setting it.
  const name = secure ? '__Secure-inlet_device' : 'inlet_device';
  const path = `${new URL(baseUrl).pathname.replace(/\/$/, '')}/api/v1/session`;
  return createCookie(name, { path, sameSite: 'strict', secure, maxAge });
}

/** What a browser must bring back from an identity provider. `lax`, because it must be sent when another site redirects here. */
export const createAbsenceCookie = (baseUrl: string, maxAge: number): Cookie =>
  createProviderCookie(baseUrl, 'inlet_absence', maxAge);

/** What a browser must have to go on to an identity provider after it has signed out here. */
export const createPartingCookie = (baseUrl: string, maxAge: number): Cookie =>
  createProviderCookie(baseUrl, 'inlet_parting', maxAge);

function createProviderCookie(baseUrl: string, plainName: string, maxAge: number): Cookie {
  const secure = isSecure(baseUrl);
  const name = secure ? `__Secure-${plainName}` : plainName;
  const path = `${new URL(baseUrl).pathname.replace(/\/$/, '')}/api/v1/session/providers`;
  return createCookie(name, { path, sameSite: 'lax', secure, maxAge });
}

type CookieRules = Pick<SerializeOptions, 'path' | 'sameSite' | 'secure'> & { readonly maxAge: number };

function createCookie(name: string, rules: CookieRules): Cookie {
  const set = (reply: FastifyReply, value: string, maxAge: number): void => {
    const options = { ...rules, maxAge, httpOnly: true };
    reply.header('set-cookie', fastifyCookie.serialize(name, value, options));
  };
  return {
    read(request) {
      const { cookie } = request.headers;
      // Checked first: parsing many unrelated cookies is not worth it.
      return cookie?.includes(`${name}=`) ? (fastifyCookie.parse(cookie)[name] ?? null) : null;
    },
    write: (reply, value) => set(reply, value, rules.maxAge),
    clear: (reply) => set(reply, '', 0),
  };
}
