/**
 * Measures the processor time of each file, with every server and browser that it starts. How long a file runs depends on what runs
 * beside it. See vitest.config.ts for the switch, and processor-report.ts for the list.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    processorSeconds?: number;
  }
}

interface Process {
  readonly id: number;
  readonly parent: number;
  /** Its own time and that of the children that it has waited for. */
  readonly ticks: number;
}

const ticksPerSecond = 100;

function processOf(id: number): Process | null {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'utf8');
    // The name before the last parenthesis may contain anything.
    const numbers = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, parent = 0] = numbers;
    return { id, parent, ticks: numbers.slice(11, 15).reduce((sum, each) => sum + each, 0) };
  } catch {
    // It has just ended, and its parent counts it from now on.
    return null;
  }
}

/** The processor time of this worker and everything that it started. */
function secondsOfTree(): number {
  const ids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  const processes = ids.map(processOf).filter((each) => each !== null);
  const tree = new Set([process.pid]);
  for (const id of tree) for (const { id: child, parent } of processes) if (parent === id) tree.add(child);
  const ticks = processes.filter(({ id }) => tree.has(id)).reduce((sum, each) => sum + each.ticks, 0);
  return ticks / ticksPerSecond;
}

let before = 0;
// The first hooks and, because hooks end in reverse order, the last: a server counts until it has ended.
beforeAll(() => {
  before = secondsOfTree();
});
// biome-ignore lint/correctness/noEmptyPattern: the runner reads from the pattern which fixtures a hook needs
afterAll(({}, suite) => {
  suite.meta.processorSeconds = secondsOfTree() - before;
});
