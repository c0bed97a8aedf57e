/** The shipped proxy files agree with each other and with the service behind them. proxies-*.test.ts covers what they do. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../support/server.js';

const text = (name: string): Promise<string> =>
  readFile(new URL(`../../deploy/${name}`, import.meta.url), 'utf8');
const withoutComments = (content: string): string => content.replaceAll(/^\s*(#.*)?\n/gm, '');

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server?.dispose());

it.each([
  ['nginx.conf', /\bkeepalive_timeout (\d+)s;/],
  ['Caddyfile', /\bkeepalive (\d+)s$/m],
  ['compose.Caddyfile', /\bkeepalive (\d+)s$/m],
] as const)('%s gives idle connections up well before Inlet does', async (name, pattern) => {
  const seconds = Number(pattern.exec(withoutComments(await text(name)))?.[1]);
  const { headers } = await fetch(`${server.url}/healthz`);
  const ours = Number(/timeout=(\d+)/.exec(headers.get('keep-alive') ?? '')?.[1]);
  expect(seconds).toBeGreaterThan(0);
  expect(ours - seconds).toBeGreaterThanOrEqual(10);
});

it('the Caddyfile of the compose files differs from the other only in where Inlet is', async () => {
  const common = async (name: string): Promise<string> =>
    withoutComments(await text(name))
      .replace(/^(\S+) \{$/m, 'SITE {')
      .replace(/\treverse_proxy[\s\S]*?\t\ttransport/, '\treverse_proxy {\n\t\ttransport')
      .trim();
  expect(await common('compose.Caddyfile')).toBe(await common('Caddyfile'));
});

it('nginx waits longer than the slowest responses', async () => {
  const content = withoutComments(await text('nginx.conf'));
  // Event streams send a heartbeat every 15 s.
  expect(Number(/proxy_read_timeout (\d+)s;/.exec(content)?.[1])).toBeGreaterThan(30);
});
