/** Every kind of credential, changed a little: none of them may open anything. */
import { request } from '../../support/client.js';
import type { Chance } from '../../support/seeded.js';
import { type FuzzCase, plainCase } from '../case.js';
import type { Play, Sent } from '../engine.js';
import { headerSafe, mutateBytes, mutateText, oddText, pathSafe, pick, sometimes } from '../mutate.js';
import { cookieName, type World } from '../world.js';
import { acceptedId } from './submitting.js';

type Make = (chance: Chance, world: World) => FuzzCase;

/** Sign-ins are counted by address, so these come from many. */
const somewhere = (chance: Chance): string =>
  `X-Forwarded-For: 198.${chance.between(18, 19)}.${chance.between(0, 255)}.${chance.between(0, 255)}`;

const jsonType = 'Content-Type: application/json';

/** Never the value itself, nor anything that decodes to it. */
function forged(chance: Chance, genuine: string): string {
  for (;;) {
    const kind = chance.between(0, 5);
    const made =
      kind === 0
        ? oddText(chance)
        : kind === 1
          ? genuine.slice(0, -1)
          : kind === 2
            ? genuine.toUpperCase()
            : kind === 3
              ? `${genuine}${pick(chance, ['=', '.', 'A', ' x', '%00'])}`
              : mutateText(chance, genuine);
    if (made.trim() !== genuine && !made.includes(genuine)) return made;
    if (made.includes(genuine) && made.trim() !== genuine && !/[ ;,&%]/.test(made.replace(genuine, '')))
      return made;
  }
}

const real = (world: World, name: string): string => world.values.get(name) ?? '';

const makers: readonly Make[] = [
  // File tokens, also for the other purpose and of other files.
  (chance, world) => {
    const file = pick(chance, ['notes', 'png', 'gif']);
    const leg = pick(chance, ['', '/download', '/content']);
    const isOther = sometimes(chance, 0.3);
    const token = isOther
      ? real(world, leg === '/content' ? `${file}Token` : `${file}Content`)
      : forged(chance, real(world, leg === '/content' ? `${file}Content` : `${file}Token`));
    return plainCase({
      path: pathSafe(`/api/v1/files/{{${file}}}${leg}?token=${encodeURIComponent(token.toWellFormed())}`),
    });
  },
  // A link that is bound to one variant, used for another.
  (chance) =>
    plainCase({
      path: `/api/v1/files/{{png}}/download?token={{bound}}${pick(chance, ['', '&w=9&f=webp', '&w=8', '&w=8&f=png', '&w=8&f=webp&q=1', '&w=08&f=webp'])}`,
    }),
  (chance, world) => {
    const key = forged(chance, real(world, pick(chance, ['key', 'readKey'])));
    const scheme = pick(chance, ['Bearer', 'bearer', 'Basic', 'Bearer ', '']);
    return plainCase({ path: '/api/v1/projects', headers: [headerSafe(`Authorization: ${scheme} ${key}`)] });
  },
  // Two Authorization headers: two programs might read different ones.
  () =>
    plainCase({
      path: '/api/v1/projects',
      headers: ['Authorization: Bearer {{key}}', 'Authorization: Bearer x'],
    }),
  (chance) =>
    plainCase({
      method: pick(chance, ['POST', 'PATCH', 'DELETE']),
      path: '/api/v1/projects/{{project}}',
      headers: ['Authorization: Bearer {{readKey}}', jsonType],
      body: Buffer.from('{"name":"x"}'),
    }),
  (chance, world) => {
    const token = forged(chance, real(world, 'session'));
    const cookie = pick(chance, [
      `${cookieName}=${token}`,
      `a=b; ${cookieName}=${token}`,
      `${cookieName}="${token}"`,
    ]);
    return plainCase({
      path: pick(chance, ['/api/v1/session', '/api/v1/account', '/api/v1/projects']),
      headers: [headerSafe(`Cookie: ${cookie}`)],
    });
  },
  // A page of another site, with the visitor's real cookie.
  (chance) =>
    plainCase({
      method: 'POST',
      path: '/api/v1/projects',
      headers: [
        `Cookie: ${cookieName}={{session}}`,
        jsonType,
        pick(chance, [
          'Origin: https://evil.example',
          'Origin: null',
          'Origin: https://forms.example.com.evil.example',
          'Origin: http://forms.example.com',
          'Origin: https://forms.example.com:444',
          'Sec-Fetch-Site: cross-site',
          'Sec-Fetch-Site: same-site',
          'Sec-Fetch-Site: none',
          'Sec-Fetch-Site: same-origin, cross-site',
          'Referer: https://forms.example.com/',
        ]),
      ],
      body: Buffer.from('{"name":"Forged"}'),
    }),
  (chance) =>
    plainCase({
      method: 'POST',
      path: '/api/v1/setup',
      headers: [jsonType, somewhere(chance)],
      body: Buffer.from(
        JSON.stringify({ token: oddText(chance), email: 'eve@example.com', password: 'a long password' }),
      ),
    }),
  (chance) =>
    plainCase({
      method: 'POST',
      path: '/api/v1/session',
      headers: [jsonType, somewhere(chance)],
      body: Buffer.from(
        JSON.stringify({
          email: pick(chance, ['ada@example.com', oddText(chance)]),
          password: oddText(chance),
        }),
      ),
    }),
  (chance, world) => {
    const payload = Buffer.from(real(world, 'altcha'), 'base64');
    const inside = sometimes(chance, 0.7);
    const token = inside
      ? mutateBytes(chance, payload).toString('base64')
      : forged(chance, real(world, 'altcha'));
    return plainCase({
      method: 'POST',
      path: '/f/{{guarded}}',
      headers: [jsonType, 'Accept: application/json'],
      body: Buffer.from(JSON.stringify({ name: 'Ada', altcha: token })),
    });
  },
  // The parts of a challenge that an attacker might have written.
  (chance, world) => {
    const payload = JSON.parse(Buffer.from(real(world, 'altcha'), 'base64').toString('utf8'));
    const [part, field] = pick(chance, [
      ['challenge', 'signature'],
      ['challenge', 'parameters'],
      ['solution', 'counter'],
      ['solution', 'derivedKey'],
    ] as const);
    payload[part] = {
      ...payload[part],
      [field]: pick(chance, [null, 0, -1, 1e308, '', [], {}, oddText(chance)]),
    };
    if (sometimes(chance, 0.3)) delete payload[part];
    const text = Buffer.from(JSON.stringify(payload)).toString('base64');
    return plainCase({
      method: 'POST',
      path: '/f/{{guarded}}',
      headers: [jsonType, 'Accept: application/json'],
      body: Buffer.from(JSON.stringify({ name: 'Ada', altcha: text })),
    });
  },
];

const refusing = new Set([400, 401, 403, 404, 410, 413, 429, 431, 503]);

async function judge({ fuzzCase, seen }: Sent): Promise<string | null> {
  for (const answer of seen.answers) {
    if (refusing.has(answer.status)) continue;
    if (fuzzCase.path.startsWith('/f/') && acceptedId(answer) !== null)
      return 'entry: a forged challenge was taken';
    return `entry: ${answer.status} for what was forged`;
  }
  return null;
}

export async function tokens(world: World): Promise<Play> {
  // Spends the solved challenge: some of its parts may be changed, such as the time it took, and it would be accepted once.
  await request(`${world.server.url}/f/${real(world, 'guarded')}`, {
    method: 'POST',
    body: new URLSearchParams({ altcha: real(world, 'altcha') }),
  });
  return {
    name: 'tokens',
    atOnce: 16,
    mayBeBusy: true,
    generate: (chance) => pick(chance, makers)(chance, world),
    judge,
  };
}
