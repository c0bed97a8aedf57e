/**
 * What a server did to disk and socket, in order, and the check of that order: no response is sent before everything it acknowledges is
 * synced. There are two recorders: strace for the system calls, and sync-hook.mjs for the calls in the program.
 */
import { dirname } from 'node:path';

export interface TraceEvent {
  readonly call: 'write' | 'sync' | 'rename';
  /** The file or folder; `socket` for a connection. */
  readonly path: string;
  /** The target of a rename. */
  readonly to?: string;
  /** What was written, as far as it is text. */
  readonly text: string;
  /** Positions on one timeline: an event is before another when its end is less than the other's begin. */
  readonly begin: number;
  readonly end: number;
}

export interface Submitted {
  /** Text in the fields, and in the file if there is one. */
  readonly marker: string;
  readonly submissionId: string;
  readonly withFile: boolean;
}

const isLog = ({ path }: TraceEvent): boolean => path.endsWith('-wal');

/** Every violation of the order. Empty when everything was synced before the response was sent. */
export function syncFaults(events: readonly TraceEvent[], submitted: Submitted): readonly string[] {
  const { marker, submissionId } = submitted;
  const answer = events.find(
    ({ call, path, text }) =>
      call === 'write' && path === 'socket' && text.includes('HTTP/1.1 200') && text.includes(submissionId),
  );
  if (!answer) return ['no answer was seen'];
  const faults: string[] = [];
  let after = Number.NEGATIVE_INFINITY;
  let before = 'the start';
  const step = (what: string, matches: (event: TraceEvent) => boolean): TraceEvent | undefined => {
    const found = events.find((event) => event.begin > after && matches(event));
    if (!found) {
      faults.push(`no ${what} after ${before}`);
      return undefined;
    }
    if (found.end >= answer.begin) faults.push(`the ${what} ends after the answer began`);
    after = found.end;
    before = `the ${what}`;
    return found;
  };

  if (submitted.withFile) {
    const staged = events.find(
      ({ call, path, text }) => call === 'write' && path.includes('/.staging/') && text.includes(marker),
    )?.path;
    if (staged === undefined) return ['no write to a staged file was seen'];
    after = Math.max(
      ...events.filter(({ call, path }) => call === 'write' && path === staged).map(({ end }) => end),
    );
    before = 'the last write to the staged file';
    step('sync of the staged file', ({ call, path }) => call === 'sync' && path === staged);
    const renamed = step('rename', ({ call, path }) => call === 'rename' && path === staged);
    const folder = dirname(renamed?.to ?? '');
    step('sync of the folder', ({ call, path }) => call === 'sync' && path === folder);
  }
  step('write to the log', (event) => event.call === 'write' && isLog(event) && event.text.includes(marker));
  step('sync of the log', (event) => event.call === 'sync' && isLog(event));
  return faults;
}

const line = /^(\d+) +[\d.]+ (.*)$/;
const whole = /^(\w+)\((.*)\) += (-?\d+)/s;
const resumed = /^<\.\.\. (\w+) resumed>(.*)$/s;
const unfinished = / ?<unfinished \.\.\.>$/;
// With -yy a descriptor is followed by what it is: 23</path> or 24<TCP:[127.0.0.1:1->127.0.0.1:2]>.
const descriptor = /^\d+<(TCP[^\]]*\]|[^>]*)>/;
const quoted = /"((?:[^"\\]|\\.)*)"/g;

const kinds: Readonly<Record<string, TraceEvent['call']>> = {
  write: 'write',
  writev: 'write',
  pwrite64: 'write',
  sendto: 'write',
  sendmsg: 'write',
  fsync: 'sync',
  fdatasync: 'sync',
  rename: 'rename',
  renameat: 'rename',
  renameat2: 'rename',
};

/** Parses the output of `strace -f -ttt -yy -o`. Calls that failed count as not done. */
export function parseStrace(text: string): readonly TraceEvent[] {
  const events: TraceEvent[] = [];
  const open = new Map<string, { begin: number; text: string }>();
  for (const [index, row] of text.split('\n').entries()) {
    const [, thread = '', said = ''] = line.exec(row) ?? [];
    if (unfinished.test(said)) {
      open.set(thread, { begin: index, text: said.replace(unfinished, '') });
      continue;
    }
    const rest = resumed.exec(said)?.[2];
    const started = rest === undefined ? { begin: index, text: said } : open.get(thread);
    if (rest !== undefined) open.delete(thread);
    const [, name = '', args = '', result = '-1'] = whole.exec((started?.text ?? '') + (rest ?? '')) ?? [];
    const call = kinds[name];
    if (!started || !call || Number(result) < 0) continue;
    const texts = Array.from(args.matchAll(quoted), ([, inner]) => inner ?? '');
    const target = descriptor.exec(args)?.[1] ?? '';
    const common = { call, begin: started.begin, end: index };
    if (call === 'rename') events.push({ ...common, path: texts[0] ?? '', to: texts[1] ?? '', text: '' });
    else events.push({ ...common, path: target.startsWith('TCP') ? 'socket' : target, text: texts.join('') });
  }
  return events.sort((a, b) => a.begin - b.begin);
}

/** Parses the output of sync-hook.mjs. */
export const parseHook = (text: string): readonly TraceEvent[] =>
  text
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => JSON.parse(row) as TraceEvent)
    .sort((a, b) => a.begin - b.begin);
