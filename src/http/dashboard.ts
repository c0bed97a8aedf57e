/**
 * /dashboard: serves the built web app (web/). Every path below it returns the same page, which does its own routing. Only files of
 * the build are ever read, by names that were listed at startup. Only scripts from these files may run, and no other site may frame
 * the page.
 */
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { keptForever, readCompressed, typeOfFile } from './built-files.js';
import { type Coding, chosenCoding } from './content-coding.js';

/** Resolves from both dist/http and dist/bundle. */
const builtFolder = new URL('../web/', import.meta.url);

/** The nonce is for styles only: components write their variables and media queries into style elements. */
const policy = (nonce: string, pictures: readonly string[]): string =>
  [
    "default-src 'self'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    ["img-src 'self' data:", ...pictures].join(' '),
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'self'",
  ].join('; ');

const attribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

export async function dashboardRoutes(
  app: FastifyInstance,
  options: {
    readonly baseUrl: string;
    /** Other origins of uploaded images: the blob store, if it serves them itself. */
    readonly pictureOrigins: readonly string[];
  },
  folder: URL = builtFolder,
): Promise<void> {
  // Behind a proxy the instance may live below a path. The page must request its files and the API there.
  const home = attribute(`${new URL(options.baseUrl).pathname.replace(/\/+$/, '')}/dashboard`);
  const [page, names] = await Promise.all([
    readFile(new URL('index.html', folder), 'utf8'),
    readdir(new URL('assets/', folder)),
  ]);
  const [beforeNonce = '', afterNonce = ''] = page
    .replaceAll('="./', `="${home}/`)
    .replace('name="inlet-base" content="/dashboard"', `name="inlet-base" content="${home}"`)
    .split(/(?<=name="inlet-style-nonce" content=")(?=")/);
  const stored = new Set(names);
  const isCompressed = (name: string): boolean => stored.has(`${name}.br`);
  const contents = new Map<string, Promise<Buffer>>();
  const read = (name: string, coding: Coding | null): Promise<Buffer> => {
    const key = `${name} ${coding}`;
    const file = new URL(`assets/${name}`, folder);
    const found = contents.get(key) ?? (isCompressed(name) ? readCompressed(file, coding) : readFile(file));
    contents.set(key, found);
    found.catch(() => contents.delete(key));
    return found;
  };

  for (const path of ['/dashboard', '/dashboard/*']) {
    app.get(path, async (_request, reply) => {
      const nonce = randomBytes(16).toString('base64url');
      return reply
        .headers({
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-store',
          'content-security-policy': policy(nonce, options.pictureOrigins),
          'referrer-policy': 'same-origin',
        })
        .send(`${beforeNonce}${nonce}${afterNonce}`);
    });
  }

  app.get<{ Params: { '*': string } }>('/dashboard/assets/*', async (request, reply) => {
    const name = request.params['*'];
    const type = typeOfFile(name);
    // A page from before an update requests files that no longer exist: never send the page itself in their place.
    if (type === undefined || !(isCompressed(name) || stored.has(name))) return reply.callNotFound();
    reply.headers({ 'content-type': type, 'cache-control': keptForever, vary: 'Accept-Encoding' });
    const coding = isCompressed(name) ? chosenCoding(request) : null;
    if (coding !== null) reply.header('content-encoding', coding);
    return reply.send(await read(name, coding));
  });
}
