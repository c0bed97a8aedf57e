/** The samples for endpoints in docs/guides/webhooks.md, exactly as published, run on requests that were really sent. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { client, makeForm } from '../support/client.js';
import { canRun } from '../support/needs.js';
import type { ReceivedRequest } from '../support/receivers.js';
import type { RunningServer } from '../support/server.js';
import { becomes, startHookServer, startTurning, submit, type TurningReceiver } from '../support/webhooks.js';

interface Case {
  readonly body: string;
  readonly signature: string | null;
  readonly previous: string | null;
  readonly secret: string;
}

interface Program {
  readonly command: string;
  readonly words: (sample: string) => readonly string[];
}

const folder = mkdtempSync(join(tmpdir(), 'inlet-samples-'));
let server: RunningServer;
let receiver: TurningReceiver;
let page: string;
const secrets = { old: '', new: '' };
let before: ReceivedRequest;
let after: ReceivedRequest;

beforeAll(async () => {
  page = await readFile(new URL('../../docs/guides/webhooks.md', import.meta.url), 'utf8');
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
  rmSync(folder, { recursive: true, force: true });
});

const caseOf = ({ body, headers }: ReceivedRequest, secret: string): Case => ({
  body: body.toString(),
  signature: headers.get('x-webhook-signature') ?? null,
  previous: headers.get('x-webhook-signature-previous') ?? null,
  secret,
});

const sampleIn = (language: string): string =>
  new RegExp(`\`\`\`${language} verify\n([^]+?)\n\`\`\``).exec(page)?.[1] ?? '';

/** Reads cases from stdin and prints the sample's verdict on each. `words`: arguments that pass a program to the interpreter. */
const programs: Readonly<Record<string, Program>> = {
  js: {
    command: process.execPath,
    words: (sample) => [
      '--input-type=module',
      '--eval',
      `${sample}
import { readFileSync } from 'node:fs';
console.log(JSON.stringify(JSON.parse(readFileSync(0, 'utf8'))
  .map((one) => isGenuine(Buffer.from(one.body), one.signature, one.previous, one.secret))));`,
    ],
  },
  python: {
    command: 'python3',
    words: (sample) => [
      '-c',
      `${sample}
import json, sys
print(json.dumps([is_genuine(one["body"].encode(), one["signature"], one["previous"], one["secret"])
    for one in json.load(sys.stdin)]))`,
    ],
  },
  php: {
    command: 'php',
    words: (sample) => [
      '-r',
      `${sample.replace(/^<\?php\n/, '')}
echo json_encode(array_map(
  fn($one) => is_genuine($one['body'], $one['signature'] ?? '', $one['previous'] ?? '', $one['secret']),
  json_decode(file_get_contents('php://stdin'), true)));`,
    ],
  },
  ruby: {
    command: 'ruby',
    words: (sample) => [
      '-e',
      `${sample}
require "json"
puts JSON.generate(JSON.parse(STDIN.read).map { |one| genuine?(one["body"], one["signature"], one["previous"], one["secret"]) })`,
    ],
  },
  go: {
    command: 'go',
    words: (sample) => ['run', goFile(sample)],
  },
};

/** A Go program must be a file. */
function goFile(sample: string): string {
  const file = join(folder, 'main.go');
  const code = `package main

${sample.replace('import (', 'import (\n\t"encoding/json"\n\t"os"')}

type one struct { Body, Signature, Previous, Secret string }

func main() {
	var cases []one
	json.NewDecoder(os.Stdin).Decode(&cases)
	said := []bool{}
	for _, c := range cases {
		said = append(said, isGenuine([]byte(c.Body), c.Signature, c.Previous, c.Secret))
	}
	json.NewEncoder(os.Stdout).Encode(said)
}
`;
  writeFileSync(file, code);
  return file;
}

for (const [language, { command, words }] of Object.entries(programs)) {
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
    const { stdout, stderr } = spawnSync(command, [...words(sampleIn(language))], {
      input: JSON.stringify(cases.map(([one]) => one)),
      encoding: 'utf8',
      env: { ...process.env, GOCACHE: join(folder, 'cache'), GO111MODULE: 'off' },
    });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual(cases.map(([, isGenuine]) => isGenuine));
  });
}
