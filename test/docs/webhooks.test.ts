/** The samples that docs/webhooks.md gives to receivers, as they stand there, on requests that were really sent. */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { client, makeForm } from '../support/client.js';
import { needs } from '../support/needs.js';
import type { ReceivedRequest } from '../support/receivers.js';
import type { RunningServer } from '../support/server.js';
import { becomes, startHookServer, startTurning, submit, type TurningReceiver } from '../support/webhooks.js';

interface Case {
  readonly body: string;
  readonly signature: string | null;
  readonly previous: string | null;
  readonly secret: string;
}

let server: RunningServer;
let receiver: TurningReceiver;
let page: string;
const secrets = { old: '', new: '' };
let before: ReceivedRequest;
let after: ReceivedRequest;

beforeAll(async () => {
  page = await readFile(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');
  server = await startHookServer();
  receiver = await startTurning();
  const made = await makeForm(server.url, { form: { webhook_url: receiver.url } });
  const project = `/api/v1/projects/${made.projectId}`;
  const api = client(server.url);
  const sent = async (): Promise<ReceivedRequest> => {
    const count = receiver.requests.length;
    await submit(made.endpoint);
    const requests = await becomes(
      () => receiver.requests,
      (all) => all.length > count,
    );
    return requests[count] as ReceivedRequest;
  };
  secrets.old = (await api.get(project)).body.webhook_secret;
  before = await sent();
  secrets.new = (await api.post(`${project}/webhook-secret`)).body.webhook_secret;
  after = await sent();
});
afterAll(async () => {
  await receiver?.close();
  await server?.dispose();
});

const caseOf = ({ body, headers }: ReceivedRequest, secret: string): Case => ({
  body: body.toString(),
  signature: headers.get('x-webhook-signature') ?? null,
  previous: headers.get('x-webhook-signature-previous') ?? null,
  secret,
});

const sampleIn = (language: string): string =>
  new RegExp(`\`\`\`${language}\n([^]+?)\n\`\`\``).exec(page)?.[1] ?? '';

/** Reads the cases from its standard input and writes what the sample says of each. */
const programs = {
  js: {
    command: process.execPath,
    words: ['--input-type=module', '--eval'],
    ending: `
import { readFileSync } from 'node:fs';
console.log(JSON.stringify(JSON.parse(readFileSync(0, 'utf8'))
  .map((one) => isGenuine(Buffer.from(one.body), one.signature, one.previous, one.secret))));`,
  },
  python: {
    command: 'python3',
    words: ['-c'],
    ending: `
import json, sys
print(json.dumps([is_genuine(one["body"].encode(), one["signature"], one["previous"], one["secret"])
    for one in json.load(sys.stdin)]))`,
  },
} as const;

const canRun = (command: string): boolean => needs(command, spawnSync(command, ['--version']).status === 0);

for (const [language, { command, words, ending }] of Object.entries(programs)) {
  it.runIf(canRun(command))(`the ${language} sample knows a genuine request, also after a rotation`, () => {
    const changed = { body: before.body.toString().replace('submission', 'Submission') };
    const cases: readonly (readonly [Case, boolean])[] = [
      [caseOf(before, secrets.old), true],
      [caseOf(after, secrets.new), true],
      [caseOf(after, secrets.old), true],
      [caseOf(before, secrets.new), false],
      [{ ...caseOf(after, secrets.old), previous: null }, false],
      [{ ...caseOf(before, secrets.old), ...changed }, false],
      [{ ...caseOf(before, secrets.old), signature: null }, false],
      [{ ...caseOf(before, secrets.old), signature: 'sha256=ü' }, false],
    ];
    const { stdout, stderr } = spawnSync(command, [...words, sampleIn(language) + ending], {
      input: JSON.stringify(cases.map(([one]) => one)),
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual(cases.map(([, isGenuine]) => isGenuine));
  });
}
