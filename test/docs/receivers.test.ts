/** The endpoints of docs/guides/webhooks.md, started as the page says: a forged request is rejected, a real webhook arrives. */
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client, makeForm } from '../support/client.js';
import { freePort } from '../support/free-port.js';
import { canRun } from '../support/needs.js';
import { allSamples } from '../support/samples.js';
import { node, type RunningServer, temporaryFolder } from '../support/server.js';
import { becomes, deliveriesOf, startHookServer, submit } from '../support/webhooks.js';

const samples = (await allSamples()).filter(({ page }) => page === 'docs/guides/webhooks.md');

interface Language {
  readonly command: string;
  readonly ending: string;
  readonly words: (port: number) => readonly string[];
  /** Added to the top of both files. The page only mentions it. */
  readonly head?: string;
}

const languages: Readonly<Record<string, Language>> = {
  js: { command: node, ending: 'mjs', words: () => ['receiver.mjs'] },
  python: { command: 'python3', ending: 'py', words: () => ['receiver.py'] },
  php: { command: 'php', ending: 'php', words: (port) => ['-S', `localhost:${port}`, 'receiver.php'] },
  go: {
    command: 'go',
    ending: 'go',
    words: () => ['run', 'verify.go', 'receiver.go'],
    head: 'package main\n\n',
  },
  ruby: { command: 'ruby', ending: 'rb', words: () => ['receiver.rb'] },
};

let server: RunningServer;
beforeAll(async () => {
  server = await startHookServer();
});
afterAll(() => server?.dispose());

const codeOf = (language: string, mark: string): string =>
  samples.find((sample) => sample.language === language && sample.mark === mark)?.code ?? '';

async function start(name: string, port: number, secret: string) {
  const { command, ending, words, head = '' } = languages[name] as Language;
  const folder = await temporaryFolder();
  await writeFile(join(folder, `verify.${ending}`), head + codeOf(name, 'verify'));
  const receiver = codeOf(name, 'receiver').replaceAll('8000', String(port));
  await writeFile(join(folder, `receiver.${ending}`), head + receiver);
  const settings = { WEBHOOK_SECRET: secret, GOCACHE: join(folder, 'cache') };
  // In its own process group, because `go run` starts the program as a separate process.
  const child = spawn(command, [...words(port)], {
    cwd: folder,
    env: { ...process.env, ...settings },
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  return { output: () => output, stop: () => process.kill(-(child.pid ?? 0), 'SIGKILL') };
}

const statusOf = async (url: string, signature: string): Promise<number> => {
  const headers = { 'X-Webhook-Signature': signature };
  const response = await fetch(url, { method: 'POST', headers, body: '{}' }).catch(() => null);
  return response?.status ?? 0;
};

describe.each(Object.keys(languages))('the endpoint in %s', (name) => {
  it.runIf(canRun(languages[name]?.command ?? ''))(
    'rejects what is forged and takes what is real',
    async () => {
      const port = await freePort();
      const url = `http://localhost:${port}/`;
      const form = await makeForm(server.url, { form: { webhook_url: url } });
      const api = client(server.url);
      const { webhook_secret: secret } = (await api.get(`/api/v1/projects/${form.projectId}`)).body;
      const endpoint = await start(name, port, secret);
      try {
        const forged = `sha256=${'0'.repeat(64)}`;
        await becomes(
          () => statusOf(url, forged),
          (status) => status > 0,
        );
        expect(await statusOf(url, forged)).toBe(401);
        const id = await submit(form.endpoint);
        await becomes(
          () => deliveriesOf(api, id),
          ([delivery]) => delivery?.state === 'delivered',
        );
        await becomes(
          () => endpoint.output(),
          (output) => output.includes(id),
        );
      } finally {
        endpoint.stop();
      }
    },
  );
});
