import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matches, newWork, parseFilter } from './filter.js';

function isMatch(filter: unknown, payload: unknown): boolean {
  const parsed = parseFilter(filter);
  if (!('filter' in parsed)) throw new Error(`${parsed.path}: ${parsed.message}`);
  return matches(parsed.filter, payload);
}

const data = (value: object) => ({
  id: 'evt_1',
  topic: 'orders',
  time: '2025-01-15T10:00:00Z',
  metadata: { source: 'api' },
  data: value,
});

describe('the examples of Outpost', () => {
  const status = { data: { status: 'paid' } };
  const paidInUsd = { data: { status: 'paid', currency: 'usd' } };
  const premium = { data: { customer: { tier: 'premium' } } };
  const urgent = { data: { tags: 'urgent' } };
  const amounts = { data: { amount: { $gte: 100, $lt: 500 } } };
  const pending = { data: { status: { $in: ['pending', 'processing'] } } };
  const email = { data: { email: { $endsWith: '@example.com' } } };
  const notDeleted = { data: { deleted_at: { $exist: false } } };
  const either = { $or: [{ data: { status: 'paid' } }, { data: { status: 'shipped' } }] };
  const both = { $and: [{ data: { status: 'active' } }, { data: { amount: { $gte: 100 } } }] };
  const not = { data: { status: { $not: { $in: ['cancelled', 'refunded'] } } } };
  const ofApi = { metadata: { source: 'api' } };
  const high = { data: { amount: { $gte: 1000 } } };
  const january = { time: { $gte: '2025-01-01T00:00:00Z', $lt: '2025-02-01T00:00:00Z' } };
  const set = { data: { status: { $in: ['paid', 'shipped'] } } };

  it.each<[filter: object, payload: object, expected: boolean]>([
    [status, data({ status: 'paid' }), true],
    [status, data({ status: 'open' }), false],
    [status, data({}), false],
    [paidInUsd, data({ status: 'paid', currency: 'usd', more: 1 }), true],
    [paidInUsd, data({ status: 'paid', currency: 'eur' }), false],
    [premium, data({ customer: { tier: 'premium', name: 'Ada' } }), true],
    [premium, data({ customer: { tier: 'free' } }), false],
    [premium, data({ customer: 'premium' }), false],
    [urgent, data({ tags: ['urgent', 'support'] }), true],
    [urgent, data({ tags: 'urgent' }), true],
    [urgent, data({ tags: ['support'] }), false],
    [amounts, data({ amount: 99 }), false],
    [amounts, data({ amount: 100 }), true],
    [amounts, data({ amount: 499.99 }), true],
    [amounts, data({ amount: 500 }), false],
    [pending, data({ status: 'processing' }), true],
    [pending, data({ status: 'paid' }), false],
    [email, data({ email: 'ada@example.com' }), true],
    [email, data({ email: 'ada@example.com.invalid' }), false],
    [notDeleted, data({}), true],
    [notDeleted, data({ deleted_at: null }), false],
    [notDeleted, data({ deleted_at: '2025-01-01' }), false],
    [either, data({ status: 'shipped' }), true],
    [either, data({ status: 'open' }), false],
    [both, data({ status: 'active', amount: 100 }), true],
    [both, data({ status: 'active', amount: 99 }), false],
    [both, data({ status: 'closed', amount: 100 }), false],
    [not, data({ status: 'paid' }), true],
    [not, data({ status: 'refunded' }), false],
    [ofApi, data({}), true],
    [ofApi, { ...data({}), metadata: { source: 'import' } }, false],
    [high, data({ amount: 1000 }), true],
    [high, data({ amount: 999 }), false],
    [january, data({}), true],
    [january, { ...data({}), time: '2025-02-01T00:00:00Z' }, false],
    [january, { ...data({}), time: '2024-12-31T23:59:59Z' }, false],
    [set, data({ status: 'shipped' }), true],
    [set, data({ status: 'open' }), false],
    [{}, data({ status: 'open' }), true],
  ])('%j on %j: %s', (filter, payload, expected) => {
    expect(isMatch(filter, payload)).toBe(expected);
    expect(isMatch({ $not: filter }, payload)).toBe(!expected);
  });
});

describe('a filter', () => {
  it.each<[of: string, condition: unknown, value: unknown, expected: boolean]>([
    ['exact value', null, null, true],
    ['exact value', null, '', false],
    ['exact value', 1, '1', false],
    ['exact value', false, false, true],
    ['exact value', 'a', { a: 'a' }, false],
    ['exact value', 'a', [['b'], ['a']], true],
    ['list', ['a', 'b'], ['b', 'c', 'a'], true],
    ['list', ['a', 'b'], ['a'], false],
    ['list', ['a'], 'a', false],
    ['list', [], [], true],
    ['list', [{ $startsWith: 'a' }, 'b'], ['abc', 'b'], true],
    ['fields of elements', { sku: 'a', count: { $gt: 1 } }, [{ sku: 'a', count: 2 }], true],
    // One element must match them all.
    [
      'fields of elements',
      { sku: 'a', count: { $gt: 1 } },
      [
        { sku: 'a', count: 1 },
        { sku: 'b', count: 2 },
      ],
      false,
    ],
    ['object', {}, { a: 1 }, true],
    ['object', {}, 'a', false],
    ['$eq', { $eq: { a: 1, b: [2] } }, { b: [2], a: 1 }, true],
    ['$eq', { $eq: { a: 1 } }, { a: 1, b: 2 }, false],
    ['$eq', { $eq: ['a', 'b'] }, ['b', 'a'], false],
    // Unlike a plain value, $eq compares the whole list.
    ['$eq', { $eq: 'a' }, ['a'], false],
    ['$neq', { $neq: 'a' }, 'b', true],
    ['$neq', { $neq: 'a' }, 1, true],
    ['$neq', { $neq: null }, null, false],
    ['$gt', { $gt: 1 }, 1, false],
    ['$gt', { $gt: 1 }, 2, true],
    ['$gt', { $gt: 1 }, '2', false],
    ['$gt', { $gt: 'a' }, 'b', true],
    ['$gt', { $gt: 1 }, [2], false],
    ['$lte', { $lte: 1 }, 1, true],
    ['$lte', { $lte: 1 }, 2, false],
    ['$lt', { $lt: 1 }, null, false],
    ['$in', { $in: ['a', 1, null] }, null, true],
    ['$in', { $in: ['a', 1, null] }, '1', false],
    ['$in', { $in: ['a'] }, ['a'], false],
    ['$in', { $in: 'ell' }, 'hello', true],
    ['$in', { $in: 'ell' }, 'help', false],
    ['$in', { $in: 'a' }, ['b', 'a'], true],
    ['$in', { $in: 1 }, 11, false],
    ['$in', { $in: [] }, 'a', false],
    ['$nin', { $nin: ['a'] }, 'b', true],
    ['$nin', { $nin: ['a'] }, 'a', false],
    ['$nin', { $nin: ['a'] }, ['b'], false],
    ['$nin', { $nin: 'a' }, ['b'], true],
    ['$nin', { $nin: 'a' }, 'cab', false],
    ['$startsWith', { $startsWith: 'a' }, 'ab', true],
    ['$startsWith', { $startsWith: ['b', 'a'] }, 'ab', true],
    ['$startsWith', { $startsWith: 'a' }, 1, false],
    ['$endsWith', { $endsWith: ['x', 'b'] }, 'ab', true],
    ['$endsWith', { $endsWith: 'a' }, 'ab', false],
    ['$exist', { $exist: true }, null, true],
    ['$exist', { $exist: false }, null, false],
    ['$or', { $or: ['a', { $startsWith: 'b' }] }, 'bc', true],
    ['$or', { $or: ['a', { $startsWith: 'b' }] }, ['c', 'bc'], true],
    ['$or', { $or: ['a', 'b'], $neq: 'a' }, 'a', false],
    ['$and', { $and: [{ $gt: 1 }, { $lt: 3 }] }, 2, true],
    ['$and', { $and: [{ $gt: 1 }, { $lt: 3 }] }, 3, false],
    ['$and', { $and: [{ a: 1 }, { b: 2 }] }, [{ a: 1 }, { b: 2 }], false],
    ['$not', { $not: 'a' }, 'b', true],
    ['$not', { $not: 'a' }, ['b', 'a'], false],
    ['$not', { $not: { a: 1 } }, { a: 2 }, true],
    ['$not', { $not: { $gt: 5 }, $gt: 1 }, 3, true],
    ['$not', { $not: { $gt: 5 }, $gt: 1 }, 6, false],
  ])('%s: %j on %j: %s', (_, condition, value, expected) => {
    expect(isMatch({ field: condition }, { field: value })).toBe(expected);
  });

  it.each<[condition: unknown, expected: boolean]>([
    [null, false],
    [{ $neq: 'a' }, false],
    [{ $nin: ['a'] }, false],
    [{ $not: 'a' }, false],
    [{ $exist: true }, false],
    [{ $exist: false }, true],
    [{ nested: { $exist: false } }, false],
  ])('matches a missing field only if it must not exist: %j: %s', (condition, expected) => {
    expect(isMatch({ field: condition }, { other: 1 })).toBe(expected);
  });

  it('sends the rest elsewhere, whether a field is missing or not', () => {
    const rest = { $not: { data: { topic: 'sales' } } };
    expect(isMatch(rest, { data: { topic: 'sales' } })).toBe(false);
    expect(isMatch(rest, { data: { topic: 'support' } })).toBe(true);
    expect(isMatch(rest, { data: {} })).toBe(true);
  });

  it.each(['constructor', 'toString', '__proto__', 'length', 'hasOwnProperty'])(
    'sees own fields only: %s',
    (name) => {
      const filter: unknown = JSON.parse(`{"a":{"${name}":{"$exist":true}}}`);
      for (const value of [{}, [], 'text', 1, null, [{}]]) expect(isMatch(filter, { a: value })).toBe(false);
      expect(isMatch(filter, JSON.parse(`{"a":{"${name}":1}}`))).toBe(true);
      expect(isMatch(JSON.parse(`{"a":{"$eq":{"${name}":1}}}`), { a: {} })).toBe(false);
    },
  );

  it('matches lists that are nested as deep as JSON allows', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(5000)}"a"${']'.repeat(5000)}`);
    expect(isMatch({ field: 'a' }, { field: deep })).toBe(true);
    expect(isMatch({ field: { b: 1 } }, { field: deep })).toBe(false);
    expect(isMatch({ field: { $eq: [['a']] } }, { field: deep })).toBe(false);
  });
});

describe('a list of any length', () => {
  const tags = (count: number) => ({ tags: [...Array<string>(count).fill('x'), 'last'] });

  it.each<[condition: unknown]>([
    ['last'],
    [{ $in: 'last' }],
    [['last']],
    [{ $or: ['last', 'never'] }],
    [{ $or: [{ $eq: 'last' }] }],
  ])('is tested up to a limit: %j', (condition) => {
    expect(isMatch({ tags: condition }, tags(20_000))).toBe(true);
    expect(isMatch({ tags: condition }, tags(100_000))).toBe(false);
  });

  it('is tested less far on many conditions', () => {
    const many = { tags: { $or: [...Array<string>(190).fill('y'), 'last'] } };
    expect(isMatch(many, tags(100))).toBe(true);
    expect(isMatch(many, tags(10_000))).toBe(false);
  });
});

describe('the filters of one submission', () => {
  const compiled = (filter: unknown) => {
    const parsed = parseFilter(filter);
    if (!('filter' in parsed)) throw new Error(parsed.message);
    return parsed.filter;
  };
  const words = (count: number) => ({
    text: { $or: Array.from({ length: count }, () => ({ $in: 'aaaaab' })) },
  });

  it('search long texts up to a limit', () => {
    const text = `${'a'.repeat(1_000_000)}b`;
    expect(isMatch(words(1), { text })).toBe(true);
    expect(
      isMatch(
        { text: { $or: [...words(90).text.$or.map(() => ({ $in: 'xxxxxb' })), { $in: 'aab' }] } },
        { text },
      ),
    ).toBe(false);
  });

  // 40 such filters blocked the service for more than a minute.
  it('share what they may cost, and each still tests short fields', () => {
    const work = newWork();
    const payload = { text: 'a'.repeat(1_000_000), list: Array(400_000).fill(0), topic: 'sales' };
    const greedy = compiled({ ...words(50), list: { $or: Array.from({ length: 50 }, (_, n) => n + 1) } });
    const spent = Array.from({ length: 200 }, () => {
      const before = work.left;
      matches(greedy, payload, work);
      return before - work.left;
    });
    expect(spent.reduce((sum, one) => sum + one, 0)).toBeLessThan(250_000);
    expect(matches(compiled({ topic: 'sales' }), payload, work)).toBe(true);
    expect(matches(compiled({ topic: { $in: 'ale' } }), payload, work)).toBe(true);
    expect(matches(compiled({ topic: { $nin: ['sales'] } }), payload, work)).toBe(false);
  });
});

describe('an invalid filter', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, n]));

  it.each<[filter: unknown, path: string, message: RegExp]>([
    [null, '', /must be an object/],
    ['a', '', /must be an object/],
    [[{ a: 1 }], '', /must be an object/],
    [{ data: { amount: { $gt: true } } }, 'data.amount.$gt', /must be a number or text/],
    [{ data: { amount: { $gte: [1] } } }, 'data.amount.$gte', /must be a number or text/],
    [{ a: { $in: { b: 1 } } }, 'a.$in', /must be text, a number, true, false, null, or a list of these/],
    [{ a: { $nin: [['b']] } }, 'a.$nin', /must be text, a number/],
    [{ a: { $startsWith: 1 } }, 'a.$startsWith', /must be text or a list of texts/],
    [{ a: { $endsWith: ['b', 1] } }, 'a.$endsWith', /must be text or a list of texts/],
    [{ a: { $exist: 'yes' } }, 'a.$exist', /must be true or false/],
    [{ a: { $regex: '^a' } }, 'a.$regex', /regular expressions are not supported/],
    [{ a: { $ref: 'b' } }, 'a.$ref', /references to other fields are not supported/],
    [{ a: { $gt: { $ref: 'b' } } }, 'a.$gt.$ref', /references to other fields are not supported/],
    [{ a: { $ne: 1 } }, 'a.$ne', /not a known operator/],
    [{ $gt: 1 }, '$gt', /needs a field/],
    [{ $or: [{ a: 1 }, { $eq: 1 }] }, '$or[1].$eq', /needs a field/],
    [{ $or: { a: 1 } }, '$or', /must be a list of conditions/],
    [{ $and: [] }, '$and', /must be a list of conditions/],
    [{ $or: [{ a: 1 }, 'b'] }, '$or[1]', /must be an object/],
    [{ $not: 'a' }, '$not', /must be an object/],
    [{ a: { $or: ['b', { $lt: null }] } }, 'a.$or[1].$lt', /must be a number or text/],
    [{ a: ['b', { $gt: [] }] }, 'a[1].$gt', /must be a number or text/],
    [{ a: { $exist: true, b: 1 } }, 'a', /operators and field names \(b\) cannot be combined/],
    [{ a: undefined }, 'a', /must be JSON/],
    [{ a: 'x'.repeat(251) }, 'a', /longer than 250 characters/],
    [{ a: { $in: ['b', 'x'.repeat(251)] } }, 'a.$in[1]', /longer than 250 characters/],
    [{ a: { $eq: { b: 'x'.repeat(251) } } }, 'a.$eq.b', /longer than 250 characters/],
    [{ a: { ['x'.repeat(251)]: 1 } }, 'a', /field name must not be longer than 250/],
    [nested(10), 'a.a.a.a.a.a.a.a.a.a', /more than 10 levels/],
    [{ a: { $eq: nested(9) } }, 'a.$eq.a.a.a.a.a.a.a.a', /more than 10 levels/],
    [many(200), 'f199', /more than 200 conditions/],
    [{ a: { $startsWith: Array(200).fill('b') } }, 'a.$startsWith[197]', /more than 200 conditions/],
    [{ a: { $in: Array.from({ length: 200 }, (_, n) => `${n}`.padEnd(100)) } }, '', /longer than 16384/],
  ])('is rejected when it is saved: %#', (filter, path, message) => {
    expect(parseFilter(filter)).toEqual({ path, message: expect.stringMatching(message) });
  });

  it('is one step beyond the largest that is allowed', () => {
    expect(parseFilter(nested(9))).toHaveProperty('filter');
    expect(parseFilter(many(199))).toHaveProperty('filter');
    expect(parseFilter({ a: { $in: Array.from({ length: 2000 }, (_, n) => n) } })).toHaveProperty('filter');
  });
});

describe('any JSON', () => {
  const key = fc.oneof(
    fc.constantFrom('a', 'b', '$eq', '$neq', '$gt', '$in', '$nin', '$exist', '$startsWith', '__proto__'),
    fc.constantFrom('$or', '$and', '$not'),
  );
  const scalar = fc.constantFrom<unknown>(null, true, false, 0, 1, 'a', 'ab', '');
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { depthSize: 'small' },
      scalar,
      fc.array(tie('json'), { maxLength: 3 }),
      // Like JSON.parse, which treats __proto__ as an ordinary name.
      fc.array(fc.tuple(key, tie('json')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
    ),
  }));

  it('is a filter or has a problem, which is never thrown', () => {
    fc.assert(
      fc.property(fc.oneof(json, fc.jsonValue()), fc.oneof(json, fc.jsonValue()), (filter, payload) => {
        const parsed = parseFilter(filter);
        if ('filter' in parsed) expect(typeof matches(parsed.filter, payload)).toBe('boolean');
        else expect(parsed.message).not.toBe('');
      }),
      { numRuns: 2000 },
    );
  });

  it('is matched by a filter or by its negation', () => {
    fc.assert(
      fc.property(json, json, (filter, payload) => {
        const negated = parseFilter({ $not: filter });
        fc.pre('filter' in negated);
        expect(matches(negated.filter, payload)).toBe(!isMatch(filter, payload));
      }),
      { numRuns: 2000 },
    );
  });

  it('is matched by the empty filter', () => {
    fc.assert(fc.property(fc.jsonValue(), (payload) => isMatch({}, payload)));
  });

  it('equals itself', () => {
    fc.assert(
      fc.property(scalar, json, (filler, payload) => {
        const parsed = parseFilter({ a: { $eq: payload } });
        fc.pre('filter' in parsed);
        expect(matches(parsed.filter, { a: structuredClone(payload), filler })).toBe(true);
      }),
    );
  });
});
