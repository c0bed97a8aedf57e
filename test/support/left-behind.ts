/**
 * Test files share a process, so what one leaves behind would burden the next. After each file no process that it started
 * runs on, nothing listens, no timer is set, and the environment is as it was. Where several files fail by this, the first
 * one is to blame.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect } from 'vitest';

/** What was just ended is given so long to be gone: only something that stays reaches it. */
const patienceMs = 10_000;

/** Those that keep the process alive, so no timer that nobody waits for. */
const watched = new Set(['ProcessWrap', 'TCPServerWrap', 'PipeServerWrap', 'Timeout']);

/** Set by the S3 client, which warns of an old Node once, and by libvips, which looks where it is. */
const ofLibraries = new Set(['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED', 'VIPSHOME']);

const variables = { ...process.env };

const leftBehind = (): readonly string[] => [
  ...children().map((command) => `process: ${command}`),
  ...process
    .getActiveResourcesInfo()
    .filter((kind) => watched.has(kind))
    .map((kind) => `resource: ${kind}`),
  ...changedVariables().map((name) => `variable: ${name}`),
];

/** Where the system tells: also those that nobody waits for. */
function children(): readonly string[] {
  if (!existsSync(`/proc/self/task/${process.pid}/children`)) return [];
  return readdirSync('/proc/self/task')
    .flatMap((thread) => readFileSync(`/proc/self/task/${thread}/children`, 'utf8').match(/\d+/g) ?? [])
    .map(commandLine)
    .filter((line) => line !== '');
}

/** Nothing for one that has ended: the system forgets its command line at once. */
function commandLine(id: string): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

/** Names alone: a value may be secret. */
function changedVariables(): readonly string[] {
  const names = new Set([...Object.keys(variables), ...Object.keys(process.env)]);
  return [...names].filter((name) => variables[name] !== process.env[name] && !ofLibraries.has(name));
}

// Registered before the hooks of the file, so it runs after them.
afterAll(async () => {
  const latest = performance.now() + patienceMs;
  while (leftBehind().length > 0 && performance.now() < latest) await sleep(20);
  expect(leftBehind(), 'what this file leaves behind').toEqual([]);
});
