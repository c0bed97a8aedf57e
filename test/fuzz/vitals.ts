/** What a process uses, measured from outside: its heap after a garbage collection, its memory, its descriptors. */
import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export interface Vitals {
  readonly heapBytes: number;
  readonly residentBytes: number;
  /** 0 where the system does not report it. */
  readonly descriptors: number;
}

const waitMs = 20_000;

/** On the signal, the process collects garbage and reports what is left. Worker threads get no signals, and need none. */
const collector = `import { isMainThread } from 'node:worker_threads';
let asked = 0;
if (isMainThread && globalThis.gc) process.on('SIGUSR2', () => {
  gc();
  const { heapUsed, external } = process.memoryUsage();
  process.stderr.write('vitals ' + JSON.stringify([++asked, heapUsed + external]) + '\\n');
});`;

/** Arguments for node, before the program. */
export const vitalArguments: readonly string[] = [
  '--expose-gc',
  '--import',
  `data:text/javascript,${encodeURIComponent(collector)}`,
];

export interface Patient {
  readonly process: ChildProcess;
  output(): string;
}

export function vitalsOf(patient: Patient): () => Promise<Vitals> {
  let asked = 0;
  return async () => {
    asked += 1;
    const heapBytes = await collected(patient, asked);
    const folder = `/proc/${patient.process.pid}`;
    if (!existsSync(folder)) return { heapBytes, residentBytes: 0, descriptors: 0 };
    const residentKb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`${folder}/status`, 'utf8'))?.[1] ?? 0);
    return {
      heapBytes,
      residentBytes: residentKb * 1024,
      descriptors: readdirSync(`${folder}/fd`).length,
    };
  };
}

async function collected({ process: child, output }: Patient, asked: number): Promise<number> {
  child.kill('SIGUSR2');
  const line = new RegExp(`^vitals \\[${asked},(\\d+)\\]$`, 'm');
  for (const until = Date.now() + waitMs; Date.now() < until; ) {
    const found = line.exec(output());
    if (found) return Number(found[1]);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('The process does not say how much it holds');
}
