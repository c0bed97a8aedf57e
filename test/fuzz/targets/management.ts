/** Every route of the management API, with bodies built from its own description and then broken. */
import type { Chance } from '../../support/seeded.js';
import { type FuzzCase, plainCase } from '../case.js';
import { nothingChanged, type Play, type Sent } from '../engine.js';
import { mutateBytes, oddText, pathSafe, pick, sometimes } from '../mutate.js';
import { type Operation, operationsOf, type Schema } from '../openapi.js';
import { jsonIn } from '../rules.js';
import type { World } from '../world.js';

/** Webhook tests are really sent. These URLs lead nowhere, and are not mutated. */
const urls = [
  'http://127.0.0.1:9/',
  'http://[::1]:9/',
  'http://10.0.0.1/',
  'https://hooks.invalid/',
  'http://localhost/',
  'x',
  '',
];

const texts: Readonly<Record<string, readonly string[]>> = {
  'http-url': urls,
  'origin-host': ['example.com', '*.example.com', 'EXAMPLE.com:80', '*', 'a..b', 'bücher.example', '[::1]'],
  email: [
    'ada@example.com',
    '"a b"@example.com',
    'a@b',
    '@',
    'ada@example.com\r\nBcc: x@example.com',
    'ü@ü.example',
  ],
  'ip-or-cidr': [
    '203.0.113.9',
    '203.0.113.0/24',
    '::/0',
    '::1%lo',
    '1.2.3.4/33',
    '01.2.3.4',
    '::ffff:1.2.3.4/120',
  ],
  'new-password': ['a long password', 'short', 'x'.repeat(129), 'ü'.repeat(70)],
  password: ['a long password', '', 'x'.repeat(129)],
  instant: ['2026-01-31T12:00:00Z', '2026-02-31', 'yesterday', '9999-12-31'],
};

const numbers = [0, 1, -1, 25, 101, 1.5, 1e21, -0, 2 ** 31, 2 ** 53];

function madeOf(chance: Chance, schema: Schema, depth = 0): unknown {
  if (sometimes(chance, 0.03)) return pick(chance, [null, true, 0, '', [], {}, [[]], oddText(chance), 1e308]);
  if (schema.enum) return sometimes(chance, 0.9) ? pick(chance, schema.enum) : oddText(chance);
  const type = pick(chance, [schema.type ?? 'string'].flat());
  switch (type) {
    case 'object':
      return depth > 3 ? {} : objectOf(chance, schema, depth);
    case 'array': {
      const count = pick(chance, [0, 1, 1, 2, 2, 3, 3, (schema.maxItems ?? 10) + 1]);
      return Array.from({ length: Math.min(count, 1_100) }, () =>
        madeOf(chance, schema.items ?? {}, depth + 1),
      );
    }
    case 'integer':
    case 'number':
      return sometimes(chance, 0.85)
        ? chance.between(schema.minimum ?? 0, Math.min(schema.maximum ?? 100, 2 ** 31))
        : pick(chance, numbers);
    case 'boolean':
      return sometimes(chance, 0.5);
    case 'null':
      return null;
    default: {
      const known = texts[schema.format ?? ''];
      if (schema.format === 'http-url')
        return sometimes(chance, 0.5) ? 'https://hooks.invalid/' : pick(chance, urls);
      if (known)
        return sometimes(chance, 0.6)
          ? known[0]
          : sometimes(chance, 0.7)
            ? pick(chance, known)
            : oddText(chance);
      return sometimes(chance, 0.7) ? 'A name' : oddText(chance);
    }
  }
}

function objectOf(chance: Chance, schema: Schema, depth: number): Record<string, unknown> {
  const properties = Object.entries(schema.properties ?? {});
  const share = pick(chance, [0.2, 0.5, 0.9]);
  const chosen = properties.filter(([name]) => name === 'name' || sometimes(chance, share));
  const made = chosen.map(([name, inner]) => [name, madeOf(chance, inner, depth + 1)] as const);
  // As own members: in JSON a name such as `__proto__` is like any other.
  const extra = sometimes(chance, 0.08) ? [[oddText(chance), 1] as const] : [];
  return Object.fromEntries([...made, ...extra]);
}

const known: Readonly<Record<string, readonly string[]>> = {
  projects: ['{{changedProject}}'],
  forms: ['{{changedFormId}}', '{{changedForm}}'],
  submissions: ['{{submission}}'],
  files: ['{{notes}}', '{{png}}'],
  spam: ['{{spam}}'],
};
const strangeIds = [
  '00000000-0000-0000-0000-000000000000',
  'x',
  '%00',
  '..',
  '%2e%2e%2fprojects',
  'null',
  '0',
];

/** The objects of the world are never deleted: the next case needs them. */
function idFor(chance: Chance, { method, path }: Operation, own: readonly string[]): string {
  const [, , , noun = ''] = path.split('/');
  const ours =
    method === 'DELETE' || path.endsWith('/release') || path.endsWith('/cancel') ? [] : (known[noun] ?? []);
  const candidates = [...ours, ...ours, ...ours, ...own.slice(-5), pick(chance, strangeIds)];
  return sometimes(chance, 0.95)
    ? pick(chance, candidates)
    : pathSafe(encodeURIComponent(oddText(chance).toWellFormed()));
}

const jsonTypes = [
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  'application/json; charset=x',
  '',
];

function generate(chance: Chance, operations: readonly Operation[], own: readonly string[]): FuzzCase {
  const operation = pick(chance, operations);
  const { method, body } = operation;
  const path = operation.path.replace('{id}', idFor(chance, operation, own));
  // Webhook tests are really sent: to an address that needs no lookup.
  const isTest = path.endsWith('/webhook-test');
  const made = body ? JSON.stringify(madeOf(chance, { ...body, type: 'object' })) : '';
  const text = body
    ? isTest
      ? made.replaceAll('hooks.invalid', '127.0.0.1:9')
      : made
    : sometimes(chance, 0.1)
      ? '{}'
      : '';
  const mayChange = body !== null && !isTest;
  const bytes =
    mayChange && sometimes(chance, 0.25) ? mutateBytes(chance, Buffer.from(text)) : Buffer.from(text);
  const type = sometimes(chance, 0.95) ? 'application/json' : pick(chance, jsonTypes);
  const isBodiless = method === 'GET' || method === 'HEAD';
  return plainCase({
    method,
    path: pathSafe(path).slice(0, 12_000),
    headers: [
      'Authorization: Bearer {{key}}',
      // Sign-ins are counted by address.
      `X-Forwarded-For: 198.${chance.between(18, 19)}.${chance.between(0, 255)}.${chance.between(0, 255)}`,
      ...(isBodiless || type === '' ? [] : [`Content-Type: ${type}`]),
    ],
    body: isBodiless ? Buffer.alloc(0) : bytes,
    framing: sometimes(chance, 0.9) || isBodiless ? 'length' : 'chunked',
  });
}

export async function management(world: World): Promise<Play> {
  // The stream of events has no end. Submissions and downloads have their own targets.
  const operations = (await operationsOf(world)).filter(
    ({ path }) => path.startsWith('/api/') && !/\/events$|\/(download|content)$/.test(path),
  );
  const changing = operations.filter(({ method }) => method !== 'GET');
  const weighted = [...operations, ...changing, ...changing];
  /** Ids that earlier cases created, for later ones to change and delete. */
  const own: string[] = [];
  const collect = ({ seen, fuzzCase }: Sent): void => {
    const body = jsonIn(seen.answers[0]) as { id?: unknown } | undefined;
    const isMade = seen.answers[0]?.status === 201 && fuzzCase.method === 'POST';
    if (isMade && typeof body?.id === 'string') own.push(body.id);
  };
  return {
    name: 'management',
    // One at a time: only then is it known which case changed what.
    atOnce: 1,
    mayBeBusy: true,
    generate: (chance) => generate(chance, weighted, own),
    async judge(sent) {
      collect(sent);
      return null;
    },
    account(before, after, [sent]) {
      const status = sent?.seen.answers[0]?.status ?? 0;
      return status >= 400 ? nothingChanged(before, after) : null;
    },
  };
}
