/**
 * /dashboard/mail-frame: the empty page in which the dashboard previews a mail. A frame inherits the policy of its page
 * unless it has an address of its own, and that of the dashboard takes the styles of a mail away. This one has no origin, may
 * load nothing but pictures, and runs one script, which shows the mail that the dashboard posts to it.
 */
import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/** A script within the mail never runs: it was parsed as a document of its own, and its hash is not listed. */
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
