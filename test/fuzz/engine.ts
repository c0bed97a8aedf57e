/**
 * Sends cases to a server, several at once, and checks every response against the rules, what the target knows about its own cases, what
 * was stored, the log, and the resources of the process. A fault of a whole batch is traced to one of its cases by sending each alone.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Chance, seeded } from '../support/seeded.js';
import { type FuzzCase, fillIn, type Values } from './case.js';
import { type Exchange, exchange } from './exchange.js';
import { judgeExchange, type Rules } from './rules.js';
import type { Vitals } from './vitals.js';

/** The server under test. */
export interface Subject {
  readonly port: number;
  readonly values: Values;
  isAlive(): boolean;
  /** Everything it has logged so far. */
  output(): string;
  vitals(): Promise<Vitals>;
  /** What it has stored, counted by kind. */
  look(): Promise<Kept>;
}

export type Kept = Readonly<Record<string, number>>;

export interface Sent {
  readonly fuzzCase: FuzzCase;
  readonly seen: Exchange;
}

/** One kind of input, ready to be sent to one server. */
export interface Play extends Rules {
  readonly name: string;
  /** How many cases are sent at once. */
  readonly atOnce: number;
  generate(chance: Chance): FuzzCase;
  /** Checks what else must hold for this case, after the rules for all. */
  judge?(sent: Sent): Promise<string | null>;
  /** Checks what is stored after these cases. Returns null when it is what they had to leave. Without this, nothing may have changed. */
  account?(before: Kept, after: Kept, batch: readonly Sent[]): Promise<string | null> | string | null;
}

export interface Find {
  readonly target: string;
  readonly fault: string;
  readonly fuzzCase: FuzzCase;
}

export interface Bounds {
  readonly seed: number;
  readonly cases: number;
  /** The run ends at this time at the latest. */
  readonly until?: number;
  readonly deadlineMs?: number;
  /** How long cleanup after a response may take. */
  readonly settleMs?: number;
  readonly maxFinds?: number;
  readonly onProgress?: (cases: number, finds: number) => void;
}

export interface Run {
  readonly cases: number;
  readonly finds: readonly Find[];
  /** Responses by status. 0 stands for a connection closed without one. */
  readonly statuses: ReadonlyMap<number, number>;
}

/** Only a hang takes this long, on any machine. */
const defaultDeadlineMs = 30_000;
const defaultSettleMs = 10_000;
const quietMs = 400;
/** Caches fill up to limits far below this. A leak of half a kilobyte per request shows in a long run. */
const maxHeapGrowthBytes = 48 * 1024 * 1024;
const maxResidentBytes = 700 * 1024 * 1024;
/** Pools and caches may keep some open. One per request would be hundreds. */
const maxDescriptorGrowth = 40;
const warmUpCases = 200;
const casesPerCheckUp = 3_000;

const unexpected = /^.*(?:"level":(?:50|60)|request failed|uncaught|unhandled|unexpected error|^\s+at ).*$/im;

export const ruleOf = (fault: string): string => fault.split(':', 1)[0] ?? fault;

export async function run(subject: Subject, play: Play, bounds: Bounds): Promise<Run> {
  const chance = seeded(bounds.seed);
  const settleMs = bounds.settleMs ?? defaultSettleMs;
  const examine = createExaminer(subject, play, bounds.deadlineMs ?? defaultDeadlineMs, settleMs);
  const finds: Find[] = [];
  const statuses = new Map<number, number>();
  const told = new Set<string>();
  let cases = 0;
  let healthy: Vitals | null = null;
  let nextCheckUp = Math.min(warmUpCases, Math.ceil(bounds.cases / 4));

  const note = (fault: string, fuzzCase: FuzzCase): void => {
    // One find of a kind is enough to fix it. The run goes on to find others.
    const kind = fault.replace(/\d+/g, '0').slice(0, 80);
    if (told.has(kind)) return;
    told.add(kind);
    finds.push({ target: play.name, fault, fuzzCase });
  };
  const checkUp = async (last: FuzzCase): Promise<void> => {
    const now = await settledVitals(subject, healthy, settleMs).catch(() => null);
    if (now === null) return note('dead: the server does not say how much it holds', last);
    const fault = healthy ? growth(healthy, now, cases) : null;
    if (fault !== null) note(fault, last);
    if (!healthy || fault !== null) healthy = now;
  };

  while (cases < bounds.cases && finds.length < (bounds.maxFinds ?? 5)) {
    if (bounds.until !== undefined && Date.now() >= bounds.until) break;
    const size = Math.min(play.atOnce, bounds.cases - cases);
    const batch = Array.from({ length: size }, () => fillIn(play.generate(chance), subject.values));
    const { faults, sent } = await examine(batch);
    for (const { seen } of sent) {
      for (const status of seen.answers.length > 0 ? seen.answers.map((answer) => answer.status) : [0]) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    }
    cases += size;
    for (const [fuzzCase, fault] of faults) note(fault, fuzzCase);
    bounds.onProgress?.(cases, finds.length);
    if (!subject.isAlive()) break;
    const last = batch.at(-1);
    if (last && (cases >= nextCheckUp || cases >= bounds.cases)) {
      nextCheckUp = cases + casesPerCheckUp;
      await checkUp(last);
    }
  }
  return { cases, finds, statuses };
}

/** Sends one case alone and returns what is wrong, to replay and shrink finds. */
export async function tryAlone(
  subject: Subject,
  play: Play,
  fuzzCase: FuzzCase,
  {
    deadlineMs = defaultDeadlineMs,
    settleMs = defaultSettleMs,
  }: Pick<Bounds, 'deadlineMs' | 'settleMs'> = {},
): Promise<string | null> {
  const examine = createExaminer(subject, play, deadlineMs, settleMs);
  const { faults } = await examine([fillIn(fuzzCase, subject.values)]);
  return faults[0]?.[1] ?? null;
}

interface Examined {
  readonly faults: readonly (readonly [FuzzCase, string])[];
  readonly sent: readonly Sent[];
}

function createExaminer(subject: Subject, play: Play, deadlineMs: number, settleMs: number) {
  const examine = async (batch: readonly FuzzCase[]): Promise<Examined> => {
    const before = await subject.look();
    const logged = subject.output().length;
    const sent = await Promise.all(
      batch.map(async (fuzzCase) => ({ fuzzCase, seen: await exchange(subject.port, fuzzCase, deadlineMs) })),
    );
    const faults: (readonly [FuzzCase, string])[] = [];
    for (const one of sent) {
      const fault = judgeExchange(one.fuzzCase, one.seen, play) ?? (await play.judge?.(one)) ?? null;
      if (fault !== null) faults.push([one.fuzzCase, fault]);
    }
    if (!subject.isAlive()) return { faults: await killers(batch, faults), sent };
    if (faults.length > 0) return { faults, sent };
    const common = logFault(subject.output().slice(logged)) ?? (await unsettled(before, sent));
    // A request that got no response may be accepted a moment later. It must not be attributed to the next batch.
    if (sent.some(({ seen }) => seen.end === 'silent')) await quiet();
    if (common === null) return { faults, sent };
    return { faults: batch.length === 1 ? alone(batch, common) : await ledBack(batch, common), sent };
  };

  const unsettled = async (before: Kept, sent: readonly Sent[]): Promise<string | null> => {
    const judge = play.account ?? nothingChanged;
    for (const until = Date.now() + settleMs; ; await delay(20)) {
      const fault = await judge(before, await subject.look(), sent);
      if (fault === null || Date.now() > until) return fault;
    }
  };
  const quiet = async (): Promise<void> => {
    let last = '';
    for (const until = Date.now() + settleMs; Date.now() < until; await delay(quietMs)) {
      const now = JSON.stringify(await subject.look());
      if (now === last) return;
      last = now;
    }
  };
  /** Sends each case alone. If none fails alone, the first stands for all. */
  const ledBack = async (batch: readonly FuzzCase[], common: string) => {
    for (const fuzzCase of batch) {
      const { faults } = await examine([fuzzCase]);
      if (faults.length > 0) return faults;
    }
    return alone(batch, `${common} (only together)`);
  };
  const alone = (batch: readonly FuzzCase[], fault: string) =>
    batch.slice(0, 1).map((fuzzCase) => [fuzzCase, fault] as const);
  const killers = async (batch: readonly FuzzCase[], faults: Examined['faults']) =>
    faults.length > 0 ? faults : alone(batch, 'dead: the server has ended');
  return examine;
}

/** Exists only while a request is in progress: in the end there must be none, whatever there was before. */
const passing: ReadonlySet<string> = new Set(['staged', 'orphans']);

export const nothingChanged = (before: Kept, after: Kept): string | null => {
  for (const [name, count] of Object.entries(after)) {
    if (passing.has(name) && count === 0) continue;
    if (count !== before[name] || passing.has(name)) return `kept: ${name} ${before[name]} became ${count}`;
  }
  return null;
};

function logFault(lines: string): string | null {
  const found = unexpected.exec(lines)?.[0];
  return found === undefined ? null : `log: ${found.slice(0, 500)}`;
}

/** Descriptors of reset connections are freed a moment later. */
async function settledVitals(subject: Subject, before: Vitals | null, settleMs: number): Promise<Vitals> {
  for (const until = Date.now() + settleMs; ; await delay(100)) {
    const now = await subject.vitals();
    if (!before || growth(before, now, 0) === null || Date.now() > until) return now;
  }
}

export function growth(before: Vitals, now: Vitals, cases: number): string | null {
  const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  const heap = now.heapBytes - before.heapBytes;
  if (heap > maxHeapGrowthBytes) return `growth: the heap by ${mebibytes(heap)} in ${cases} cases`;
  if (now.residentBytes > maxResidentBytes) return `growth: ${mebibytes(now.residentBytes)} resident`;
  const descriptors = now.descriptors - before.descriptors;
  return descriptors > maxDescriptorGrowth ? `growth: ${descriptors} descriptors in ${cases} cases` : null;
}
