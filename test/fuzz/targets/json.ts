/** application/json, compared with what JSON.parse reads from the same bytes. */
import type { Chance } from '../../support/seeded.js';
import { plainCase } from '../case.js';
import type { Play, Sent } from '../engine.js';
import { mutateBytes, oddText, pick, sometimes } from '../mutate.js';
import type { World } from '../world.js';
import { acceptedId, dressed, isReserved, storedData, submissionAccount } from './submitting.js';

const words = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\\u0000',
  '\\ud800',
  '\\u',
  '1e5',
  '-0',
  '1.',
  'NaN',
  '/**/',
];
const bytes = [
  ...words.map((word) => Buffer.from(word)),
  Buffer.from([0xef, 0xbb, 0xbf]),
  Buffer.from([0xff]),
];
const names = ['name', 'message', '__proto__', 'constructor', '10', '2', '', '_csrf', '_gotcha', 'altcha'];

const oddValue = (chance: Chance, depth: number): string => {
  const kind = depth > 4 ? chance.between(0, 3) : chance.between(0, 5);
  if (kind === 0) return JSON.stringify(oddText(chance));
  if (kind === 1) return pick(chance, ['0', '-0', '1.0', '1e400', '12345678901234567890', '5e-324', 'true']);
  if (kind === 2) return pick(chance, ['null', '""', 'false', '[]', '{}']);
  if (kind === 3) return JSON.stringify(pick(chance, ['Ada', 'x', '\u0000', '\ud800', '\u2028']));
  const count = pick(chance, [0, 1, 2, 4]);
  if (kind === 4) return `[${Array.from({ length: count }, () => oddValue(chance, depth + 1)).join()}]`;
  return oddObject(chance, depth + 1, count);
};

function oddObject(chance: Chance, depth: number, count: number): string {
  const name = (): string => (sometimes(chance, 0.7) ? pick(chance, names) : oddText(chance));
  const blank = pick(chance, ['', '', ' ', '\n\t']);
  const members = Array.from(
    { length: count },
    () => `${JSON.stringify(name())}:${blank}${oddValue(chance, depth)}`,
  );
  return `{${blank}${members.join(`,${blank}`)}}`;
}

function body(chance: Chance): Buffer {
  if (sometimes(chance, 0.02)) {
    const depth = pick(chance, [31, 32, 33, 1000, 100_000]);
    return Buffer.from(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`);
  }
  const text = Buffer.from(oddObject(chance, 1, pick(chance, [0, 1, 2, 5, 12])));
  return sometimes(chance, 0.3) ? text : mutateBytes(chance, text, bytes);
}

/** In bytes, like the limit for names. */
const longName = /"(?:[^"\\]|\\.){200}/s;

/** Returns undefined when the bytes are not a JSON object, or when it is near a limit. */
function objectIn(bytes: Buffer): Record<string, unknown> | undefined {
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes) || bytes.length > 900_000) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    // Counted in the text, where a repeated name counts twice.
    const isSmall =
      (text.match(/"\s*:/g) ?? []).length < 900 &&
      depthOf(value) < 30 &&
      !longName.test(bytes.toString('latin1'));
    return isSmall ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

const holdsValue = (value: unknown): boolean =>
  !(value === '' || value === null || value === false || (Array.isArray(value) && value.length === 0));

async function judge(world: World, { fuzzCase, seen }: Sent): Promise<string | null> {
  const meant = objectIn(fuzzCase.body);
  const [answer] = seen.answers;
  const id = answer ? acceptedId(answer) : null;
  if (meant === undefined) return null;
  if (id === null) return `meaning: ${answer?.status} for a body that is in order`;
  const isSpam = ['_gotcha', '_honeypot'].some(
    (name) => Object.hasOwn(meant, name) && holdsValue(meant[name]),
  );
  const data = storedData(world, id);
  if (data === null) return isSpam || fuzzCase.body.includes('_') ? null : 'meaning: it was taken for spam';
  const expected = JSON.stringify(
    Object.fromEntries(Object.entries(meant).filter(([name]) => !isReserved(name))),
  );
  const found = JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(data))));
  return found === expected ? null : `meaning: ${found.slice(0, 200)} instead of ${expected.slice(0, 200)}`;
}

export const json = (world: World): Play => ({
  name: 'json',
  atOnce: 24,
  generate: (chance) => plainCase(dressed(chance, 'application/json', body(chance))),
  judge: (sent) => judge(world, sent),
  account: submissionAccount(world),
});
