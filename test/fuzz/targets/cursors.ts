/** Cursors: those that a list returned, those of another list, and near misses. */
import type { Chance } from '../../support/seeded.js';
import { type FuzzCase, plainCase } from '../case.js';
import type { Play } from '../engine.js';
import { mutateBytes, mutateText, oddText, pathSafe, pick, sometimes } from '../mutate.js';
import { jsonIn } from '../rules.js';
import type { World } from '../world.js';

const lists = [
  '/api/v1/projects',
  '/api/v1/projects/{{project}}/forms',
  '/api/v1/projects/{{project}}/submissions',
  '/api/v1/forms/{{formId}}/submissions',
  '/api/v1/forms/{{formId}}/submissions?q=Visitor',
  '/api/v1/forms/{{formId}}/deliveries',
  '/api/v1/projects/{{project}}/deliveries',
  '/api/v1/forms/{{formId}}/spam',
  '/api/v1/spam',
];
const names = ['cursor', 'searchCursor', 'spamCursor'];

/** What a cursor may contain. */
const places = [
  '1',
  '0',
  '-1',
  '9999999999999999',
  '99999999999999999',
  '00000000-0000-0000-0000-000000000000',
  'x',
  '',
];

function cursor(chance: Chance, world: World): string {
  const real = world.values.get(pick(chance, names)) ?? '';
  const kind = chance.between(0, 5);
  if (kind === 0) return real;
  if (kind === 1) return mutateText(chance, real);
  if (kind === 2) return Buffer.from(pick(chance, places)).toString('base64url');
  // Mutates inside the base64. Outside, a mutation would only break the encoding.
  if (kind === 3) return mutateBytes(chance, Buffer.from(real, 'base64url')).toString('base64url');
  if (kind === 4) {
    const id = Buffer.from(real, 'base64url').toString('latin1');
    return Buffer.from(
      `${id}${pick(chance, [' ', '  ', ' x', ` ${id}`, '\n', '\0', ` ${id} ${id}`])}`,
    ).toString('base64url');
  }
  return oddText(chance);
}

function generate(chance: Chance, world: World): FuzzCase {
  const list = pick(chance, lists);
  const joint = list.includes('?') ? '&' : '?';
  const value = encodeURIComponent(cursor(chance, world).toWellFormed());
  const limit = sometimes(chance, 0.5) ? '&limit=1' : '';
  return plainCase({
    path: pathSafe(`${list}${joint}cursor=${value}${limit}`),
    headers: ['Authorization: Bearer {{key}}'],
  });
}

export const cursors = (world: World): Play => ({
  name: 'cursors',
  atOnce: 24,
  generate: (chance) => generate(chance, world),
  /** A cursor is rejected or leads to a page. It never widens what is visible. */
  async judge({ seen }) {
    const [answer] = seen.answers;
    if (answer?.status === 400) return null;
    const body = jsonIn(answer) as { data?: unknown; next_cursor?: unknown } | undefined;
    const isPage = answer?.status === 200 && Array.isArray(body?.data);
    return isPage && (body?.next_cursor === null || typeof body?.next_cursor === 'string')
      ? null
      : `page: ${answer?.status} ${JSON.stringify(body)?.slice(0, 200)}`;
  },
});
