import { describe, expect, it } from 'vitest';
import type { Attention } from '../../wire.js';
import { failingIn, failingWords } from './failing.js';

const now = Date.parse('2026-11-17T12:00:00.000Z');
const item = (some: Partial<Attention>, destination: Partial<Attention['destination']> = {}): Attention => ({
  kind: 'destination_failing',
  form_id: 'f1',
  form_name: 'Orders',
  count: 1,
  detail: '',
  project_id: 'p1',
  destination: {
    id: 'd1',
    name: 'Webhook',
    failing_since: '2026-11-17T11:57:00.000Z',
    last_error: 'http_5xx',
    waiting: 2,
    ...destination,
  },
  ...some,
});

describe('failingWords', () => {
  it('names the destination, since when it fails, and how many deliveries wait', () => {
    expect(failingWords([item({})], now)).toBe(
      '“Webhook” of Orders is failing, first failure 3 min ago, 2 deliveries waiting.',
    );
    expect(failingWords([item({}, { waiting: 1 }), item({}), item({})], now)).toBe(
      '“Webhook” of Orders is failing, first failure 3 min ago, 1 delivery waiting. 2 more destinations are failing.',
    );
  });

  it('says which one was disabled, and nothing when none fails', () => {
    const disabled = item(
      { kind: 'destination_disabled', form_id: null, form_name: null },
      { waiting: 0, failing_since: null },
    );
    expect(failingWords([disabled], now)).toBe('“Webhook” was disabled because it failed.');
    expect(failingWords([], now)).toBeNull();
  });
});

describe('failingIn', () => {
  const ofForm = item({});
  const ofProject = item({ form_id: null, form_name: null });
  const elsewhere = item({ form_id: 'f2', project_id: 'p2' });
  const quarantine = item({ kind: 'quarantine_waiting', destination: null });
  const all = [ofForm, ofProject, elsewhere, quarantine];
  const projectOf = (formId: string) => (formId === 'f2' ? 'p2' : 'p1');

  it('finds those that submissions of the scope are sent to', () => {
    expect(failingIn({}, projectOf, all)).toEqual([ofForm, ofProject, elsewhere]);
    expect(failingIn({ project_id: 'p1' }, projectOf, all)).toEqual([ofForm, ofProject]);
    expect(failingIn({ form_id: 'f1' }, projectOf, all)).toEqual([ofForm, ofProject]);
    expect(failingIn({ form_id: 'f3' }, projectOf, all)).toEqual([ofProject]);
    expect(failingIn({ form_id: 'f2' }, projectOf, all)).toEqual([elsewhere]);
  });
});
