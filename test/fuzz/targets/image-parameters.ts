/** w, h, fit, q and f of valid images, on both legs of a download. */
import type { Chance } from '../../support/seeded.js';
import { type FuzzCase, plainCase } from '../case.js';
import type { Play, Sent } from '../engine.js';
import { oddText, pathSafe, pick, sometimes } from '../mutate.js';
import { formats, type World } from '../world.js';

const sides = [
  '1',
  '7',
  '40',
  '100',
  '4096',
  '4097',
  '0',
  '-1',
  '1.5',
  '1e2',
  '0x10',
  '08',
  ' 8',
  '8 ',
  '',
  '٣',
  '99999999999999999999',
];
const known: Readonly<Record<string, readonly string[]>> = {
  w: sides,
  h: sides,
  fit: ['cover', 'contain', 'fill', 'inside', 'COVER', ''],
  q: ['1', '50', '100', '0', '101', '80.5', ''],
  f: ['webp', 'jpeg', 'png', 'avif', 'gif', 'svg', 'WEBP', 'jpg', ''],
};

const small = ['1', '7', '40', '100'];
const right: Readonly<Record<string, readonly string[]>> = {
  w: small,
  h: small,
  fit: ['cover', 'contain', 'fill'],
  q: ['1', '50', '100'],
  f: ['webp', 'jpeg', 'png'],
};

function parameters(chance: Chance): string {
  const pairs = Object.entries(known)
    .filter(() => sometimes(chance, 0.5))
    .flatMap(([name, values]) => {
      // Mostly valid values, or no request would get through. Mostly small ones, because each large one takes a processor for a while.
      const usual = sometimes(chance, 0.85) ? pick(chance, right[name] ?? values) : pick(chance, values);
      const value = sometimes(chance, 0.97) ? usual : oddText(chance);
      const pair = `${sometimes(chance, 0.97) ? name : oddText(chance)}=${encodeURIComponent(value.toWellFormed())}`;
      return sometimes(chance, 0.97) ? [pair] : [pair, pair.toUpperCase(), pair];
    });
  return pairs.length === 0 ? '' : `&${pairs.join('&')}`;
}

function generate(chance: Chance): FuzzCase {
  const file = sometimes(chance, 0.95) ? pick(chance, formats) : 'notes';
  // The token of the second leg is bound to the unchanged file: with other parameters it opens nothing.
  const leg = sometimes(chance, 0.85)
    ? `download?token={{${file}Token}}`
    : `content?token={{${file}Content}}`;
  const range = pick(chance, [
    'bytes=0-',
    'bytes=-1',
    'bytes=5-2',
    'bytes=0-0,2-3',
    'bytes=999999-',
    `bytes=${oddText(chance)}`,
  ]);
  return plainCase({
    path: pathSafe(`/api/v1/files/{{${file}}}/${leg}${parameters(chance)}`).slice(0, 12_000),
    headers: sometimes(chance, 0.2)
      ? [
          `Range: ${Buffer.from(range)
            .toString('latin1')
            .replace(/[\r\n\0]/g, '')}`,
        ]
      : [],
    method: sometimes(chance, 0.95) ? 'GET' : 'HEAD',
  });
}

/** Whether the parameters are exactly what decisions 7 allows, once each. */
function isInOrder(path: string): boolean {
  const given = [...new URL(path, 'http://x').searchParams].filter(([name]) => name !== 'token');
  const isNumber = (text: string, max: number) => /^[1-9]\d*$/.test(text) && Number(text) <= max;
  const fine: Readonly<Record<string, (value: string) => boolean>> = {
    w: (value) => isNumber(value, 4096),
    h: (value) => isNumber(value, 4096),
    q: (value) => isNumber(value, 100),
    fit: (value) => ['cover', 'contain', 'fill'].includes(value),
    f: (value) => ['webp', 'jpeg', 'png'].includes(value),
  };
  const names = given.map(([name]) => name);
  return new Set(names).size === names.length && given.every(([name, value]) => fine[name]?.(value) === true);
}

async function judge({ fuzzCase, seen }: Sent): Promise<string | null> {
  const status = seen.answers[0]?.status ?? 0;
  if (!fuzzCase.path.includes('/download?')) return null;
  const isWished = fuzzCase.path.includes('&');
  if (!isInOrder(fuzzCase.path)) return status === 400 ? null : `parameters: ${status} for wrong ones`;
  return status === 302 || (isWished && [400, 503].includes(status))
    ? null
    : `parameters: ${status} for right ones`;
}

export const imageParameters = (_world: World): Play => ({
  name: 'image-parameters',
  atOnce: 6,
  mayBeBusy: true,
  generate,
  judge,
});
