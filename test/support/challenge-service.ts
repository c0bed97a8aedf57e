/**
 * A form that requires a solved challenge, made with the library alone: the built scripts,
 * the challenge, and a submission that is accepted only with an unused solution.
 */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createChallenge, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { networkName } from './chromium.js';

export interface ChallengeService {
  readonly base: string;
  /** The same server under a name that browsers do not trust like loopback. */
  readonly networkBase: string;
  /** Methods and paths of challenge and submission requests, in order. */
  readonly asked: readonly string[];
  readonly accepted: readonly URLSearchParams[];
  close(): Promise<void>;
}

const secret = 'a secret of this test';

export async function startChallengeService(): Promise<ChallengeService> {
  const asked: string[] = [];
  const accepted: URLSearchParams[] = [];
  const used = new Set<string>();
  const headers = {
    'access-control-allow-origin': '*',
    'access-control-allow-headers': 'Idempotency-Key',
    'cross-origin-resource-policy': 'cross-origin',
  };
  const answer = (response: ServerResponse, status: number, body: object): void => {
    response.writeHead(status, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(body));
  };

  const isSolved = async (token: string | null): Promise<boolean> => {
    if (token === null || used.has(token)) return false;
    used.add(token);
    const { challenge, solution } = JSON.parse(Buffer.from(token, 'base64').toString());
    return (await verifySolution({ challenge, solution, deriveKey, hmacSignatureSecret: secret })).verified;
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url = '/' } = request;
    if (/^\/inlet(-solver)?\.js$/.test(url)) {
      const script = readFileSync(new URL(`../../dist/client${url}`, import.meta.url));
      response.writeHead(200, { ...headers, 'content-type': 'text/javascript; charset=utf-8' }).end(script);
      return;
    }
    if (method === 'OPTIONS') {
      response.writeHead(204, headers).end();
      return;
    }
    asked.push(`${method} ${url}`);
    if (url.endsWith('/challenge')) {
      // The challenge of /f/old has almost expired when it arrives.
      const lifeSeconds = url.startsWith('/f/old') ? 5 : 600;
      const expiresAt = Math.floor(Date.now() / 1000) + lifeSeconds;
      const shape = { algorithm: 'PBKDF2/SHA-256', cost: 200, counter: 60, expiresAt };
      answer(response, 200, await createChallenge({ ...shape, deriveKey, hmacSignatureSecret: secret }));
      return;
    }
    let text = '';
    for await (const chunk of request) text += chunk;
    const fields = new URLSearchParams(text);
    if (!(await isSolved(fields.get('altcha')))) {
      answer(response, 403, { error: 'CAPTCHA verification failed', code: 'captcha_failed' });
      return;
    }
    accepted.push(fields);
    answer(response, 200, { success: true, submission_id: 'an-id', files: [] });
  };

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    base: `http://127.0.0.1:${port}`,
    networkBase: `http://${networkName}:${port}`,
    asked,
    accepted,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
