import { describe, expect, it } from 'vitest';
import type { Attention, AttentionKind } from '../../wire.js';
import { asSentence, attentionWords, detailWords, withoutRepeats } from './attention-words.js';

const noAddress = 'dns_error: There is no address for the name crm.example';
const ofDestination = { id: 'd1', name: 'CRM', failing_since: null, last_error: noAddress, waiting: 2 };
const failing: Attention = {
  kind: 'destination_failing',
  ...{
    form_id: 'f1',
    form_name: 'Orders',
    project_id: 'p1',
    count: 1,
    detail: `“CRM” is failing: ${noAddress}`,
  },
  destination: ofDestination,
};
const receiver = (given_up: number, form_id = 'f1'): Attention => ({
  kind: 'receiver_failing',
  ...{ form_id, form_name: 'Orders', project_id: 'p1', count: 2, given_up, detail: '' },
  destination: null,
});

describe('what a destination that fails says already', () => {
  it('is not said again of its form, unless something was given up', () => {
    expect(withoutRepeats([failing, receiver(0)])).toEqual([failing]);
    expect(withoutRepeats([failing, receiver(1)])).toHaveLength(2);
    expect(withoutRepeats([failing, receiver(0, 'f2')])).toHaveLength(2);
    expect(withoutRepeats([receiver(0)])).toHaveLength(1);
    const ofProject = { ...failing, form_id: null, form_name: null };
    expect(withoutRepeats([ofProject, receiver(0, 'f2')])).toEqual([ofProject]);
  });

  it('is in the words of the timeline', () => {
    expect(detailWords(failing)).toBe('“CRM” is failing: Could not connect: the name has no address');
    expect(detailWords({ ...failing, kind: 'destination_disabled' })).toBe(
      '“CRM” was disabled because it failed: Could not connect: the name has no address',
    );
    expect(detailWords({ ...failing, destination: { ...ofDestination, last_error: null } })).toBe(
      '“CRM” is failing',
    );
  });
});

describe('attentionWords', () => {
  it('leads to where it is fixed', () => {
    expect(attentionWords({ kind: 'receiver_failing', form_id: 'f1', destination: null }).to).toBe(
      '/forms/f1/deliveries?state=failed',
    );
    expect(attentionWords({ kind: 'quarantine_waiting', form_id: 'f1', destination: null }).to).toBe(
      '/forms/f1/quarantine',
    );
    const destination = { id: 'd1', name: 'Webhook', failing_since: null, last_error: null, waiting: 0 };
    expect(attentionWords({ kind: 'destination_disabled', form_id: 'f1', destination }).to).toBe(
      '/destinations/d1',
    );
    expect(attentionWords({ kind: 'disk_low', form_id: null, destination: null })).toEqual({
      advice: 'Free space, or set retention on busy forms.',
      action: 'See instance',
      to: '/instance',
    });
  });

  it('has words also for a kind that a newer server knows', () => {
    expect(attentionWords({ kind: 'moon_full' as AttentionKind, form_id: null, destination: null }).to).toBe(
      '/instance',
    );
  });

  it('writes the detail as a sentence', () => {
    expect(asSentence('in sandbox mode')).toBe('In sandbox mode');
    expect(asSentence('')).toBe('');
  });
});
