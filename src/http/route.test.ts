/** Checks how the compiler types handlers. Only the last test runs anything. */
import Fastify from 'fastify';
import { Type } from 'typebox';
import { expect, it } from 'vitest';
import { byId, exactly, Media } from '../contract/shapes.js';
import { Raw, Reply, type Result, routesOf } from './route.js';
import { createValidatorCompiler } from './validation.js';

const Count = exactly({ count: Type.Integer() });
const Export = new Media(['text/csv'], { type: 'string' }, 'a');
type One = { 200: typeof Count };
type Two = { 200: typeof Count; 202: typeof Count };
const accept = <R extends Record<number, typeof Count | typeof Export | null>>(
  ..._results: Result<R>[]
): void => {};

it('a handler that returns something else than its schema does not compile', () => {
  accept<One>(
    { count: 1 },
    new Reply(200, { count: 1 }),
    new Raw('application/json; charset=utf-8', '{"count":1}'),
  );
  // @ts-expect-error another type
  accept<One>({ count: 'one' });
  // @ts-expect-error another field
  accept<One>({ counted: 1 });
  // @ts-expect-error no body
  accept<One>(undefined);
  // @ts-expect-error a status that is not declared
  accept<One>(new Reply(201, { count: 1 }));
  // @ts-expect-error a media type that is not declared
  accept<One>(new Raw('text/csv', 'count'));
  // @ts-expect-error text, without saying that it is JSON already
  accept<One>('{"count":1}');
  accept<Two>(new Reply(202, { count: 1 }));
  // @ts-expect-error which status?
  accept<Two>({ count: 1 });
  accept<{ 200: typeof Export }>(new Raw('text/csv; charset=utf-8', 'count'));
  // @ts-expect-error another media type than the declared one
  accept<{ 200: typeof Export }>(new Raw('application/json', '{}'));
  accept<{ 204: null }>(undefined, new Reply(204, undefined));
  // @ts-expect-error a body where none is declared
  accept<{ 204: null }>({ count: 1 });
  expect.assertions(0);
});

it('gives a handler what its schemas describe, and sends what it returns', async () => {
  const checked = createValidatorCompiler();
  const app = Fastify({
    schemaController: { compilersFactory: { buildValidator: (() => checked) as never } },
  });
  const add = routesOf(app, 'Tests');
  add({
    method: 'POST',
    path: '/things/:id',
    operationId: 'countThings',
    summary: 'Count',
    params: byId('The thing.'),
    query: exactly({ times: Type.Integer() }),
    body: Count,
    responses: { 200: Count, 202: Export },
    caller: async () => 'somebody',
    async handle({ who, params, query, body }) {
      const count: number = query.times * body.count;
      // @ts-expect-error not in the schema
      void params.name;
      if (count > 10)
        return new Reply(202, new Raw('text/csv', `${who},${params.id},${count}`), { 'x-more': 'yes' });
      return new Reply(200, { count });
    },
  });
  const send = (times: string) =>
    app.inject({ method: 'POST', url: `/things/a?times=${times}`, payload: { count: 4 } });
  const few = await send('2');
  expect([few.statusCode, few.json()]).toEqual([200, { count: 8 }]);
  const many = await send('3');
  expect([many.statusCode, many.body, many.headers['content-type'], many.headers['x-more']]).toEqual([
    202,
    'somebody,a,12',
    'text/csv',
    'yes',
  ]);
  expect((await send('x')).statusCode).not.toBe(200);
  await app.close();
});
