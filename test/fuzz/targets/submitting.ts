/** What the targets that submit forms share: the headers of a request, what it must store, and what must be in it. */
import type { Chance } from '../../support/seeded.js';
import type { FuzzCase } from '../case.js';
import { type Kept, nothingChanged, type Play, type Sent } from '../engine.js';
import type { HttpAnswer } from '../exchange.js';
import { pick, sometimes } from '../mutate.js';
import { jsonIn } from '../rules.js';
import type { World } from '../world.js';

const accepts = ['Accept: application/json', 'Accept: text/html,*/*;q=0.8', 'Accept: */*', ''];

export const dressed = (
  chance: Chance,
  type: string,
  body: Buffer,
): Pick<FuzzCase, 'method' | 'path' | 'headers' | 'body' | 'framing' | 'pieces'> => ({
  method: 'POST',
  path: '/f/{{form}}',
  headers: [`Content-Type: ${type}`, pick(chance, accepts)].filter((line) => line !== ''),
  body,
  framing: sometimes(chance, 0.25) ? 'chunked' : 'length',
  pieces: sometimes(chance, 0.7) ? 1 : pick(chance, [2, 3, 7, 40]),
});

/** The id of the submission that a response acknowledges, or null. */
export function acceptedId(answer: HttpAnswer): string | null {
  if (answer.status === 200) {
    const body = jsonIn(answer) as { success?: unknown; submission_id?: unknown } | undefined;
    return body?.success === true && typeof body.submission_id === 'string' ? body.submission_id : null;
  }
  if (answer.status !== 303) return null;
  const location = answer.headers.get('location') ?? '';
  return URL.canParse(location) ? new URL(location).searchParams.get('submission_id') : null;
}

const quarantineMayBeFull = 400;

/** An Idempotency-Key returns the same submission again, long after it was made. */
const knownIn = new WeakMap<World, Set<string>>();

/** Checks that every acknowledged submission and its files were stored, and nothing else. */
export function submissionAccount(world: World): NonNullable<Play['account']> {
  const known = knownIn.get(world) ?? new Set<string>();
  knownIn.set(world, known);
  return (before: Kept, after: Kept, batch: readonly Sent[]): string | null => {
    const told = batch.flatMap(({ seen }) => seen.answers.map(acceptedId)).filter((id) => id !== null);
    const fresh = [...new Set(told)].filter((id) => !known.has(id));
    const stored = world.rows<{ id: string; files_count: number }>(
      `SELECT id, files_count FROM submissions WHERE id IN (${fresh.map(() => '?').join()})`,
      ...fresh,
    );
    const grown = (name: string): number => (after[name] ?? 0) - (before[name] ?? 0);
    // A request that was cut off because of a false length may have been accepted before that.
    const unheard = batch.filter(({ seen }) => seen.end === 'silent').length;
    const files = stored.reduce((sum, row) => sum + row.files_count, 0);
    const held = fresh.length - stored.length;
    const isFull = (before.quarantined ?? 0) >= quarantineMayBeFull;
    if (grown('submissions') < stored.length || grown('submissions') > stored.length + unheard)
      return `kept: ${grown('submissions')} submissions where ${stored.length} were told`;
    if (unheard === 0 && grown('files') !== files)
      return `kept: ${grown('files')} files where ${files} were told`;
    if (!isFull && unheard === 0 && grown('quarantined') !== held)
      return `kept: ${held} told that are no submissions, ${grown('quarantined')} in quarantine`;
    const { submissions: _, files: __, quarantined: ___, deliveries: ____, ...rest } = after;
    const fault = nothingChanged(before, rest);
    if (fault !== null) return fault;
    for (const id of fresh) known.add(id);
    return null;
  };
}

/** The stored fields as text. Returns null when there is no such submission, which is what happens to spam. */
export const storedData = (world: World, id: string): string | null =>
  world.rows<{ data: string }>('SELECT data FROM submissions WHERE id = ?', id)[0]?.data ?? null;

const reserved = new Set([
  '_gotcha',
  '_honeypot',
  '_csrf',
  'challenge-response',
  '_challengeToken',
  'g-recaptcha-response',
  'h-captcha-response',
  'cf-turnstile-response',
  'altcha',
]);
const honeypots = ['_gotcha', '_honeypot'];

export interface Meaning {
  readonly data: string;
  readonly isSpam: boolean;
}

export const isReserved = (name: string): boolean => reserved.has(name);

/** What pairs mean according to decisions 4, computed without the product: order preserved, repeated names and `name[]` are lists. */
export function meaningOfPairs(pairs: readonly (readonly [string, string])[]): Meaning {
  const fields = new Map<string, string | string[]>();
  let isSpam = false;
  for (const [name, value] of pairs) {
    if (name === '') continue;
    const isList = name.length > 2 && name.endsWith('[]');
    const field = isList ? name.slice(0, -2) : name;
    if (reserved.has(field)) {
      if (honeypots.includes(field) && value !== '') isSpam = true;
      continue;
    }
    const before = fields.get(field);
    if (before === undefined) fields.set(field, isList ? [value] : value);
    else fields.set(field, [...[before].flat(), value]);
  }
  const members = [...fields].map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return { data: `{${members.join()}}`, isSpam };
}

/** Compares what is stored with what it must be. */
export function judgeMeaning(world: World, { seen }: Sent, meaning: Meaning): string | null {
  const [answer] = seen.answers;
  const id = answer ? acceptedId(answer) : null;
  if (id === null) return `meaning: ${answer?.status} for a body that is in order`;
  const data = storedData(world, id);
  if (meaning.isSpam) return data === null ? null : 'meaning: spam was taken';
  return data === meaning.data
    ? null
    : `meaning: ${data?.slice(0, 200)} instead of ${meaning.data.slice(0, 200)}`;
}
