/**
 * The cookie of a device that signed in before. Only the sign-in reads it, so only the session's paths get it. It outlives
 * the session and signing out: that is what it is for.
 */
import { fastifyCookie } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

export interface DeviceCookie {
  /** null: there is none. */
  read(request: FastifyRequest): string | null;
  write(reply: FastifyReply, value: string): void;
}

export function createDeviceCookie(baseUrl: string, lifeSeconds: number): DeviceCookie {
  const { protocol, pathname } = new URL(baseUrl);
  const secure = protocol === 'https:';
  // `__Host-` would need the path `/`; this prefix still keeps a page on plain http from setting it.
  const name = secure ? '__Secure-inlet_device' : 'inlet_device';
  const path = `${pathname.replace(/\/$/, '')}/api/v1/session`;
  return {
    read(request) {
      const { cookie } = request.headers;
      // Looked for first: a crowd of other cookies is not worth parsing.
      if (!cookie?.includes(`${name}=`)) return null;
      return fastifyCookie.parse(cookie)[name] ?? null;
    },
    write(reply, value) {
      const rules = { path, httpOnly: true, sameSite: 'strict', secure, maxAge: lifeSeconds } as const;
      reply.header('set-cookie', fastifyCookie.serialize(name, value, rules));
    },
  };
}
