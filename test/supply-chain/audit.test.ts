/** scripts/audit.mjs against a registry on loopback that speaks npm's audit protocol. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { plainEnvironment, temporaryFolder } from '../support/server.js';

const script = fileURLToPath(new URL('../../scripts/audit.mjs', import.meta.url));
let cache: string;
let registry: Server;
let asked: string[] = [];
/** npm caches what it made of an advisory. */
let lastId = 0;
let answer: (response: ServerResponse) => void;

beforeAll(async () => {
  cache = await temporaryFolder();
  registry = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.url === '/-/npm/v1/security/advisories/bulk') answer(response);
    else response.writeHead(404).end('{}');
  }).listen(0, '127.0.0.1');
  await once(registry, 'listening');
});
afterAll(async () => {
  registry.closeAllConnections();
  registry.close();
  await rm(cache, { recursive: true, force: true });
});

async function audit(
  respond: typeof answer,
  env: Record<string, string> = {},
): Promise<{ code: number | null; text: string }> {
  asked = [];
  answer = respond;
  const child = spawn(process.execPath, [script], {
    env: {
      ...plainEnvironment(),
      npm_config_registry: `http://127.0.0.1:${(registry.address() as AddressInfo).port}`,
      npm_config_userconfig: '/dev/null',
      npm_config_cache: cache,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  expect(asked).toContain('/-/npm/v1/security/advisories/bulk');
  return { code, text };
}

const advise =
  (severities: Readonly<Record<string, string>>) =>
  (response: ServerResponse): void => {
    const advisories = Object.entries(severities).map(([name, severity]) => [
      name,
      [
        {
          id: ++lastId,
          url: `https://example.com/advisories/${name}`,
          title: `A hole in ${name}`,
          severity,
          vulnerable_versions: '*',
        },
      ],
    ]);
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(Object.fromEntries(advisories)));
  };

it('fails on a vulnerability of level high in what production runs, and names it', async () => {
  const { code, text } = await audit(advise({ nodemailer: 'high', pino: 'low' }));
  expect(text).toContain(
    'nodemailer: high\n  A hole in nodemailer https://example.com/advisories/nodemailer\n',
  );
  expect([code, text]).toEqual([1, expect.not.stringContaining('pino')]);
});

it('fails on one in code that the build puts into the dashboard', async () => {
  const { code, text } = await audit(advise({ react: 'critical' }));
  expect([code, text]).toEqual([1, expect.stringContaining('react: critical\n')]);
});

it('passes when there are only lesser ones, and some in what only developers run', async () => {
  const { code, text } = await audit(advise({ nodemailer: 'moderate', vitest: 'critical' }));
  expect([code, text]).toEqual([
    0,
    'No package that we ship has a known vulnerability of level high or critical.\n',
  ]);
});

it.each([404, 503])('passes and says so in one line when the registry answers %s', async (status) => {
  const { code, text } = await audit((response) => void response.writeHead(status).end('no'));
  expect([code, text]).toEqual([0, expect.stringMatching(`^Audit skipped, .*${status}.*\n$`)]);
});

it('passes and says so in one line when the registry does not respond', async () => {
  const { code, text } = await audit(() => {}, { npm_config_fetch_timeout: '300' });
  expect([code, text]).toEqual([0, expect.stringMatching(/^Audit skipped, .*timeout.*\n$/)]);
});

it('is part of every run of CI', async () => {
  const ci = await readFile(new URL('../../.ci/run', import.meta.url), 'utf8');
  expect(ci).toMatch(/^node scripts\/audit\.mjs$/m);
});
