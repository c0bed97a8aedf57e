/**
 * /docs: serves the documentation of this version, offline. The site was built from docs/ together with the program
 * (scripts/build-site.mjs). Loaded on the first request, because most instances never get one.
 */
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { keptForever, typeOfFile } from './built-files.js';
import { type PackedBody, packBody, quickly, sendPacked } from './content-coding.js';

/** Resolves from both dist/http and dist/bundle. */
const builtSite = new URL('../site.br', import.meta.url);

/** The build writes it in place of the path of the public address. */
const basePlaceholder = '/-inlet-base-path-';

/** The two inline scripts of every page are allowed by their hashes. All other inline scripts and styles are blocked. */
const policy = (scriptHashes: string): string =>
  [
    "default-src 'self'",
    `script-src 'self' ${scriptHashes}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

/** The path becomes part of attributes, scripts and style sheets: characters with a meaning there are percent-encoded. */
const encoded = (basePath: string): string =>
  basePath.replace(/['()&]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);

/**
 * All files by name. They are stored as one file, because pages repeat each other: separate files made the package 1 MB larger. A line of
 * JSON has the name and length of each file, then their bytes follow. They take 10 MB of memory from the first visit on.
 */
async function unpack(file: URL): Promise<ReadonlyMap<string, Buffer>> {
  const bytes = await promisify(brotliDecompress)(await readFile(file));
  let at = bytes.indexOf('\n') + 1;
  const lengths: Readonly<Record<string, number>> = JSON.parse(bytes.toString('utf8', 0, at));
  const files = new Map<string, Buffer>();
  for (const [name, length] of Object.entries(lengths)) {
    files.set(name, bytes.subarray(at, at + length));
    at += length;
  }
  return files;
}

interface Site {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly policy: string;
  packed(name: string, content: Buffer): Promise<PackedBody>;
}

async function openSite(file: URL, basePath: string): Promise<Site> {
  const files = await unpack(file);
  const base = encoded(basePath);
  const plain = (content: Buffer): Buffer =>
    Buffer.from(content.toString('utf8').replaceAll(basePlaceholder, () => base));
  const pack = async (content: Buffer): Promise<PackedBody> => {
    const { gzip, br, etag } = await packBody(plain(content), quickly);
    // The plain form is made again for the few clients that want it: it would take three times as much memory as the other two.
    return {
      gzip,
      br,
      etag,
      get plain() {
        return plain(content);
      },
    };
  };
  // Never forgotten, so that nobody makes the server compress a page twice: all 554 of the site take 3.9 MB, and 0.4 s in total.
  const all = new Map<string, Promise<PackedBody>>();
  const packed = (name: string, content: Buffer): Promise<PackedBody> => {
    const found = all.get(name) ?? pack(content);
    all.set(name, found);
    return found;
  };
  return { files, policy: policy(files.get('.script-hashes')?.toString('utf8') ?? ''), packed };
}

/** A page is requested without its extension, and its Markdown with `.md`. */
function fileAt({ files }: Site, path: string): string | undefined {
  const place = path.endsWith('/') ? path.slice(0, -1) : path;
  const pages = place === '' ? ['index.html'] : [place, `${place}.html`, `${place}/index.html`];
  return [...pages, place.replace(/\.md$/, '/index.md')].find(
    (name) => files.has(name) && typeOfFile(name) !== undefined,
  );
}

const isText = (type: string): boolean => type.includes('charset') || type.includes('svg');

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  site: Site,
  name: string,
): Promise<FastifyReply> {
  const type = typeOfFile(name) ?? '';
  const content = site.files.get(name) ?? Buffer.alloc(0);
  reply.headers({
    'content-type': type,
    'cache-control': name.startsWith('assets/') ? keptForever : 'no-cache',
    'content-security-policy': site.policy,
    'referrer-policy': 'same-origin',
  });
  return isText(type) ? sendPacked(request, reply, await site.packed(name, content)) : reply.send(content);
}

export interface DocsOptions {
  /** The path of the public address, which a proxy strips; empty: none. */
  readonly basePath: string;
}

export function docsRoutes(app: FastifyInstance, { basePath }: DocsOptions, file: URL = builtSite): void {
  let opened: Promise<Site> | null = null;
  const open = (): Promise<Site> => {
    opened ??= openSite(file, basePath).catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  };
  const isMissing = (error: unknown): null => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  };

  const show = async (request: FastifyRequest<{ Params: { '*'?: string } }>, reply: FastifyReply) => {
    const site = await open().catch(isMissing);
    // Only in a clone: `npm start` builds the site while it serves.
    if (site === null)
      return reply
        .status(404)
        .type('text/plain; charset=utf-8')
        .send(
          'The documentation of this clone is not built yet. npm start does it in about a minute; npm run site does it now.\n',
        );
    const path = request.params['*'] ?? '';
    const name = fileAt(site, path);
    if (name !== undefined) return sendFile(request, reply, site, name);
    // A page from before an update requests files that no longer exist: never send a page in their place.
    if (path.startsWith('assets/')) return reply.callNotFound();
    return sendFile(request, reply.status(404), site, '404.html');
  };
  app.get('/docs', show);
  app.get('/docs/*', show);
}
