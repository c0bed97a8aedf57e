/** The parameters of every operation that reads with some: lists, searches, exports, numbers. From the OpenAPI document. */
import type { Chance } from '../../support/seeded.js';
import { type FuzzCase, plainCase } from '../case.js';
import type { Play } from '../engine.js';
import { mutateText, oddText, pathSafe, pick, sometimes } from '../mutate.js';
import { type Operation, operationsOf } from '../openapi.js';
import type { World } from '../world.js';

const searches = [
  'Visitor',
  'visitor 3',
  '"Visitor 3"',
  '"',
  '""',
  '*',
  'v*',
  '-x',
  'a AND b',
  'NEAR(a b)',
  '{a b}: c',
  'name:Ada',
  '^a',
  '()',
  '%_',
  'é',
  '日本語',
  '\u0000',
  '😀',
  'x '.repeat(240),
];
const instants = [
  '2026-01-31T12:00:00Z',
  '2026-01-31',
  '0000-01-01',
  '9999-12-31T23:59:60Z',
  '2026-02-31',
  '+275760-09-13',
  '2026-01-31T12:00:00+99:99',
];

/** A usual value of this parameter. */
function usual(chance: Chance, name: string, schema: Operation['query'][number]['schema']): string {
  if (schema.enum) return String(pick(chance, schema.enum));
  if (name === 'q') return pick(chance, searches);
  if (name === 'since' || name === 'until') return pick(chance, instants);
  if (name === 'cursor') return pick(chance, ['{{cursor}}', '{{searchCursor}}', '{{spamCursor}}']);
  if (name === 'form_id') return pick(chance, ['{{listed}}', '{{form}}']);
  if (name === 'project_id') return '{{project}}';
  if (schema.type === 'integer')
    return pick(chance, ['1', '2', '25', '100', '101', '0', '-1', '1.5', '1e2', ' 1', '']);
  return pick(chance, ['x', 'https://hooks.example.com/']);
}

function generate(chance: Chance, operations: readonly Operation[]): FuzzCase {
  const operation = pick(chance, operations);
  const id = operation.path.includes('projects/') ? '{{project}}' : '{{listed}}';
  const path = operation.path.replace(
    '{id}',
    sometimes(chance, 0.95) ? id : pathSafe(encodeURIComponent(oddText(chance).toWellFormed())),
  );
  const pairs = operation.query
    .filter(() => sometimes(chance, 0.5))
    .flatMap((parameter) => {
      const value = usual(chance, parameter.name, parameter.schema);
      const broken = sometimes(chance, 0.5)
        ? value
        : sometimes(chance, 0.5)
          ? oddText(chance)
          : mutateText(chance, value);
      const name = sometimes(chance, 0.95) ? parameter.name : mutateText(chance, parameter.name);
      const encode = (text: string) =>
        /^\{\{\w+\}\}$/.test(text)
          ? text
          : sometimes(chance, 0.8)
            ? encodeURIComponent(text.toWellFormed())
            : text;
      const pair = `${encode(name)}=${encode(broken)}`;
      return sometimes(chance, 0.95) ? [pair] : [pair, pair];
    });
  const query = pairs.length > 0 || sometimes(chance, 0.1) ? `?${pairs.join('&')}` : '';
  return plainCase({
    method: sometimes(chance, 0.95) ? 'GET' : 'HEAD',
    path: pathSafe(path + (sometimes(chance, 0.95) ? query : mutateText(chance, query))).slice(0, 12_000),
    headers: ['Authorization: Bearer {{key}}'],
  });
}

export async function query(world: World): Promise<Play> {
  const operations = (await operationsOf(world)).filter(
    ({ method, path, query: parameters }) =>
      method === 'GET' && parameters.length > 0 && !/\/files\/|\/events$/.test(path),
  );
  return { name: 'query', atOnce: 24, generate: (chance) => generate(chance, operations) };
}
