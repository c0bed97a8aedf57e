import { describe, expect, it } from 'vitest';
import { only } from '../../test/support/ports.js';
import type { Logger } from '../kernel/log.js';
import { StoreFull, StoreUnavailable } from '../ports/store.js';
import { createRequestIds } from './connection/request-ids.js';
import { createFaultLog } from './fault-log.js';

function logged() {
  const lines: Record<string, unknown>[] = [];
  const error = (fields: Record<string, unknown>) => void lines.push(fields);
  return {
    lines,
    tell: createFaultLog(only<Logger>({ error: error as Logger['error'] }), createRequestIds(null)),
  };
}

describe('the log of faults', () => {
  it('tells the first of a kind with its cause and path, and keeps quiet about the same ones after it', () => {
    const { lines, tell } = logged();
    const full = new StoreFull('no space');
    for (let i = 0; i < 1000; i += 1) tell(full, '/f/abc');
    expect(lines).toEqual([{ err: full, path: '/f/abc' }]);
  });

  it('tells another kind at once', () => {
    const { lines, tell } = logged();
    tell(new StoreFull('no space'), '/a');
    tell(new StoreUnavailable('locked'), '/b');
    expect(lines.map(({ path }) => path)).toEqual(['/a', '/b']);
  });

  it('tells every surprise: each may be another one', () => {
    const { lines, tell } = logged();
    tell(new Error('one'), '/a');
    tell(new Error('two'), '/a');
    expect(lines).toHaveLength(2);
  });
});
