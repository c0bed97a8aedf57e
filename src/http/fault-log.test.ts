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
    report: createFaultLog(only<Logger>({ error: error as Logger['error'] }), createRequestIds(null)),
  };
}

describe('the log of faults', () => {
  it('logs the first of a kind with its cause and path, and only counts the same ones after it', () => {
    const { lines, report } = logged();
    const full = new StoreFull('no space');
    for (let i = 0; i < 1000; i += 1) report(full, '/f/abc');
    expect(lines).toEqual([{ err: full, path: '/f/abc' }]);
  });

  it('logs another kind at once', () => {
    const { lines, report } = logged();
    report(new StoreFull('no space'), '/a');
    report(new StoreUnavailable('locked'), '/b');
    expect(lines.map(({ path }) => path)).toEqual(['/a', '/b']);
  });

  it('logs every internal error: each may have another cause', () => {
    const { lines, report } = logged();
    report(new Error('one'), '/a');
    report(new Error('two'), '/a');
    expect(lines).toHaveLength(2);
  });
});
