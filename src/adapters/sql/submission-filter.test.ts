import { expect, it } from 'vitest';
import { lowestIdAt } from '../../kernel/ids.js';
import { noFilter } from '../../model/submission.js';
import { pageConditions } from './submission-filter.js';

const scope = { kind: 'form', formId: 'form' } as const;
const time = Date.UTC(2031, 4, 6);
const before = lowestIdAt(time - 1_000);
const later = lowestIdAt(time + 1_000);

/** The conditions on the id, with their values. */
const limitsOf = (...[filter, ...page]: [object, string | null, boolean?]) =>
  pageConditions(scope, { ...noFilter, ...filter }, ...page)
    .filter(({ sql }) => sql.startsWith('submissions.id '))
    .map(({ sql, params }) => sql.replace('submissions.id ', '').replace('?', `${params[0]}`));

it('a page has one limit on each side, the tighter one: SQLite uses the first, and would read all pages before it', () => {
  expect(limitsOf({ until: time }, before)).toEqual([`< ${before}`]);
  expect(limitsOf({ until: time }, later)).toEqual([`< ${lowestIdAt(time)}`]);
  expect(limitsOf({ since: time }, later, true)).toEqual([`> ${later}`]);
  expect(limitsOf({ since: time }, before, true)).toEqual([`>= ${lowestIdAt(time)}`]);
  expect(limitsOf({ since: time }, later)).toEqual([`>= ${lowestIdAt(time)}`, `< ${later}`]);
  expect(limitsOf({ until: time }, before, true)).toEqual([`< ${lowestIdAt(time)}`, `> ${before}`]);
  expect(limitsOf({ until: time }, null)).toEqual([`< ${lowestIdAt(time)}`]);
});
