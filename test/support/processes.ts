/** What Linux reports about other processes. A test looks and signals, and never guesses a time. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { vi } from 'vitest';

const patience = { timeout: 30_000, interval: 10 };

/** The children of a process, without zombies. */
export function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`)
    .flatMap((task) => readIfThere(`/proc/${pid}/task/${task}/children`).trim().split(' '))
    .map(Number)
    .filter((child) => child > 0 && isAlive(child));
}

export function isAlive(pid: number): boolean {
  // The name in brackets may contain anything. The state is the first letter after it.
  const state = /\) (\w) [^)]*$/.exec(readIfThere(`/proc/${pid}/stat`))?.[1];
  return state !== undefined && state !== 'Z' && state !== 'X';
}

export const environmentOf = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);

/** SCHED_IDLE: runs only when nothing else needs the core. */
export const idleClass = 5;

/** The scheduling class of each of its threads. */
export const classesOf = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`).map((task) => {
    // The name in brackets may contain anything. The third field follows it, and the class is the 41st.
    const [, fields = ''] = /\) ([^)]*)$/.exec(readIfThere(`/proc/${pid}/task/${task}/stat`)) ?? [];
    return Number(fields.split(' ')[41 - 3]);
  });

/** The peak memory of the process. */
export const peakBytesOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readIfThere(`/proc/${pid}/status`))?.[1]) * 1024;

export const until = <T>(what: string, found: () => T | undefined | false): Promise<T> =>
  vi.waitFor(() => {
    const value = found();
    if (value === undefined || value === false) throw new Error(`Waited in vain until ${what}`);
    return value;
  }, patience);

export const untilGone = (pid: number): Promise<boolean> => until(`${pid} is gone`, () => !isAlive(pid));

/** Waits until the process has exited and its parent has reaped it. Until then it is a zombie. */
export const untilReaped = (pid: number): Promise<boolean> =>
  until(`${pid} is reaped`, () => !existsSync(`/proc/${pid}`));

/** Whether a codec has started its first image: libvips starts its threads for it. */
const isDecoding = (pid: number): boolean =>
  threadsOf(pid).some((task) => readIfThere(`/proc/${pid}/task/${task}/comm`).startsWith('libvips'));

/** A codec of this process that works on its first image and is not one of `others`. */
export const untilChildDecodes = (parent: number, others: readonly number[] = []): Promise<number> =>
  until('a codec works on a picture', () =>
    childrenOf(parent).find((child) => !others.includes(child) && isDecoding(child)),
  );

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
