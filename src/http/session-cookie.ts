/**
 * The cookie that says who is signed in. On https its name binds it to this very host; plain http has no such names, and
 * http://localhost must work. The cookie package's own parser and writer are used without its plugin, which would parse
 * the cookies of every request, those with an API key included.
 */
import { fastifyCookie } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

export interface SessionCookie {
  /** null: there is none. */
  read(request: FastifyRequest): string | null;
  write(reply: FastifyReply, token: string): void;
  clear(reply: FastifyReply): void;
}

const isSecure = (baseUrl: string): boolean => baseUrl.startsWith('https:');

export const sessionCookieName = (baseUrl: string): string =>
  isSecure(baseUrl) ? '__Host-inlet_session' : 'inlet_session';

export function createSessionCookie(baseUrl: string, lifeSeconds: number): SessionCookie {
  const name = sessionCookieName(baseUrl);
  const set = (reply: FastifyReply, value: string, maxAge: number): void => {
    const rules = { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure(baseUrl), maxAge } as const;
    reply.header('set-cookie', fastifyCookie.serialize(name, value, rules));
  };
  return {
    read(request) {
      const { cookie } = request.headers;
      // Looked for first: a crowd of other cookies is not worth parsing.
      if (!cookie?.includes(`${name}=`)) return null;
      return fastifyCookie.parse(cookie)[name] ?? null;
    },
    write: (reply, token) => set(reply, token, lifeSeconds),
    clear: (reply) => set(reply, '', 0),
  };
}
