/**
 * /dashboard/mail-frame: the empty page in which the dashboard previews a mail. A frame without a URL of its own inherits the
 * policy of its page, and the policy of the dashboard would block the styles of a mail. This page has no origin, may load nothing
 * but images, and runs one script, which shows the mail that the dashboard posts to it.
 */
import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/** Scripts in the mail never run: it is parsed as a separate document, and their hashes are not listed. */
const script = `addEventListener('message', ({ data, source }) => {
  if (source !== parent || typeof data.html !== 'string') return;
  const mail = new DOMParser().parseFromString(data.html, 'text/html');
  for (const meta of mail.querySelectorAll('meta[http-equiv]')) meta.remove();
  const style = mail.createElement('style');
  style.textContent = ':root, body { color-scheme: ' + (data.isDark ? 'dark' : 'light') + ' !important }';
  mail.head.append(style);
  document.replaceChild(document.adoptNode(mail.documentElement), document.documentElement);
});`;

const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Mail</title><script>${script}</script></head><body></body></html>`;

const policy = [
  "default-src 'none'",
  `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  "style-src 'unsafe-inline'",
  'img-src https: data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-scripts',
].join('; ');

export function mailFrameRoutes(app: FastifyInstance): void {
  app.get('/dashboard/mail-frame', async (_request, reply) =>
    reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': policy,
      })
      .send(page),
  );
}
