import { describe, expect, it } from 'vitest';
import type { AttentionKind } from '../../wire.js';
import { asSentence, attentionWords } from './attention-words.js';

describe('attentionWords', () => {
  it('leads to where it is fixed', () => {
    expect(attentionWords({ kind: 'receiver_failing', form_id: 'f1', destination: null }).to).toBe(
      '/forms/f1/deliveries?state=failed',
    );
    expect(attentionWords({ kind: 'quarantine_waiting', form_id: 'f1', destination: null }).to).toBe(
      '/forms/f1/quarantine',
    );
    const destination = { id: 'd1', name: 'Webhook', failing_since: null, waiting: 0 };
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
