/** application/x-www-form-urlencoded, compared with what the platform's own parser reads from the same bytes. */
import type { Chance } from '../../support/seeded.js';
import { plainCase } from '../case.js';
import type { Play } from '../engine.js';
import { mutateBytes, oddText, pick, sometimes } from '../mutate.js';
import type { World } from '../world.js';
import { dressed, judgeMeaning, meaningOfPairs, submissionAccount } from './submitting.js';

const names = [
  'name',
  'email',
  'message',
  'tag[]',
  'a[b]',
  '[]',
  '10',
  '2',
  '_csrf',
  '_gotcha',
  '_honeypot',
  'ü',
];
const words = [
  '&',
  '=',
  '+',
  '%',
  '%2',
  '%20',
  '%00',
  '%ff',
  '%C3%A9',
  '%EF%BF%BD',
  ';',
  '?',
  '[]',
  '%u0041',
];
const bytes = words.map((word) => Buffer.from(word));

function body(chance: Chance): Buffer {
  const pairs = Array.from({ length: pick(chance, [0, 1, 2, 5, 20]) }, () => [
    sometimes(chance, 0.7) ? pick(chance, names) : oddText(chance),
    sometimes(chance, 0.4) ? 'a value' : oddText(chance),
  ]) as [string, string][];
  const text = new URLSearchParams(pairs).toString();
  if (sometimes(chance, 0.02)) return Buffer.from('a&'.repeat(pick(chance, [999, 1000, 1001, 500_000])));
  return sometimes(chance, 0.3) ? Buffer.from(text) : mutateBytes(chance, Buffer.from(text), bytes);
}

/** Returns null when a body may be rejected, or when its meaning depends on what a page without a charset sends. */
function pairsIn(body: Buffer): readonly (readonly [string, string])[] | null {
  const text = body.toString('utf8');
  if (!Buffer.from(text).equals(body) || body.length > 900_000) return null;
  const pairs = [...new URLSearchParams(text.startsWith('?') ? `?${text}` : text)];
  if (pairs.length > 900 || pairs.flat().some((part) => part.includes('\ufffd'))) return null;
  return pairs.some(([name]) => Buffer.byteLength(name) > 256) ? null : pairs;
}

export const urlencoded = (world: World): Play => ({
  name: 'urlencoded',
  atOnce: 24,
  generate: (chance) => plainCase(dressed(chance, 'application/x-www-form-urlencoded', body(chance))),
  async judge(sent) {
    const pairs = pairsIn(sent.fuzzCase.body);
    return pairs === null ? null : judgeMeaning(world, sent, meaningOfPairs(pairs));
  },
  account: submissionAccount(world),
});
