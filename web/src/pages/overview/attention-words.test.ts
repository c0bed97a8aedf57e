import { describe, expect, it } from 'vitest';
import type { AttentionKind } from '../../wire.js';
import { asSentence, attentionWords } from './attention-words.js';

describe('attentionWords', () => {
  it('leads to where it is mended', () => {
    expect(attentionWords({ kind: 'receiver_failing', form_id: 'f1' }).to).toBe(
      '/forms/f1/deliveries?state=failed',
    );
    expect(attentionWords({ kind: 'quarantine_waiting', form_id: 'f1' }).to).toBe('/forms/f1/quarantine');
    expect(attentionWords({ kind: 'destination_disabled', form_id: 'f1' }).to).toBe('/forms/f1/destinations');
    expect(attentionWords({ kind: 'disk_low', form_id: null })).toEqual({
      advice: 'Make room, or set a retention for forms that gather much.',
      action: 'See instance',
      to: '/instance',
    });
  });

  it('has words also for a kind that a newer server knows', () => {
    expect(attentionWords({ kind: 'moon_full' as AttentionKind, form_id: null }).to).toBe('/instance');
  });

  it('writes the detail as a sentence', () => {
    expect(asSentence('in sandbox mode')).toBe('In sandbox mode');
    expect(asSentence('')).toBe('');
  });
});
