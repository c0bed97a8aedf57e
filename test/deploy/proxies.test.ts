/** The examples for proxies agree with the service that stands behind them. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { options } from '#inlet/config/options.js';
import { byteSize } from '#inlet/config/quantities.js';

const text = (name: string): Promise<string> =>
  readFile(new URL(`../../deploy/${name}`, import.meta.url), 'utf8');
const withoutComments = (content: string): string => content.replaceAll(/^\s*#.*$/gm, '');

const largest = (() => {
  const parsed = byteSize('1 B', '1 TiB').parse(options.maxBodyBytes.default ?? '');
  if (!parsed.ok) throw new Error('the default is no size');
  return parsed.value;
})();

describe.each([
  ['Caddyfile', /max_size (\d+)MiB/],
  ['compose.Caddyfile', /max_size (\d+)MiB/],
  ['nginx.conf', /client_max_body_size (\d+)m;/],
] as const)('%s', (name, limit) => {
  it('lets every submission through that Inlet would take, so that Inlet says what is too large', async () => {
    const bytes = Number(limit.exec(await text(name))?.[1]) * 1024 * 1024;
    expect(bytes).toBeGreaterThan(largest);
    expect(bytes).toBeLessThan(1.2 * largest);
  });

  it('closes what it opens, and keeps the inside paths inside', async () => {
    const content = withoutComments(await text(name));
    expect(content.split('{').length).toBe(content.split('}').length);
    expect(content).toMatch(/\/\(?metrics/);
    expect(content).toMatch(/readyz/);
    expect(content).toContain('404');
  });

  it('does not gather streams', async () => {
    const content = withoutComments(await text(name));
    if (name === 'nginx.conf') {
      expect(content).toMatch(/location = \/api\/v1\/events \{\s*proxy_buffering off;/);
      expect(content).toContain('proxy_request_buffering off;');
    } else expect(content).toContain('flush_interval -1');
  });
});

it('nginx waits longer than the slowest answers, and tells who the visitor is', async () => {
  const content = withoutComments(await text('nginx.conf'));
  // Comments in event streams come every 15 s.
  expect(Number(/proxy_read_timeout (\d+)s;/.exec(content)?.[1])).toBeGreaterThan(30);
  expect(content).toContain('proxy_set_header X-Forwarded-For $remote_addr;');
});
