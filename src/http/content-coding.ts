/** Bodies that are compressed once and served in the coding that the client takes, or not at all if it has them. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** `gzip;q=0` means: not this one. */
export const acceptsCoding = (header: string, coding: string): boolean =>
  header.split(',').some((part) => {
    const [name = '', weight = '1'] = part.trim().split(/\s*;\s*q=/i);
    return name.toLowerCase() === coding && Number(weight) > 0;
  });

export interface PackedBody {
  readonly plain: Buffer;
  readonly gzip: Buffer;
  readonly br: Buffer;
  readonly etag: string;
}

export async function packBody(plain: Buffer): Promise<PackedBody> {
  const [small, smaller] = await Promise.all([
    promisify(gzip)(plain, { level: 9 }),
    promisify(brotliCompress)(plain),
  ]);
  // Weak: it names the content, not one of its three codings.
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { plain, gzip: small, br: smaller, etag };
}

const isCurrent = (header = '', etag: string): boolean =>
  header.split(',').some((part) => [etag, '*'].includes(part.trim()));

/** What else the response says, its type included, is up to the caller. */
export function sendPacked(request: FastifyRequest, reply: FastifyReply, body: PackedBody): FastifyReply {
  reply.headers({ vary: 'Accept-Encoding', etag: body.etag });
  if (isCurrent(request.headers['if-none-match'], body.etag))
    return reply.removeHeader('content-type').status(304).send();
  const wanted = String(request.headers['accept-encoding'] ?? '');
  for (const coding of ['br', 'gzip'] as const) {
    if (acceptsCoding(wanted, coding)) return reply.header('content-encoding', coding).send(body[coding]);
  }
  return reply.send(body.plain);
}
