/** What needs attention, in words, and where it is mended. Pure. */
import type { Attention, AttentionKind } from '../../wire.js';

export interface AttentionWords {
  /** What to do about it. */
  readonly advice: string;
  readonly action: string;
  readonly to: string;
}

const advice: Readonly<Record<AttentionKind, string>> = {
  receiver_failing: 'See why its receiver did not take them, then send them again.',
  sandbox_in_use: 'Switch it to live, or register the addresses that test it.',
  quarantine_waiting: 'Look through them and release what is not spam.',
  disk_low: 'Make room, or set a retention for forms that gather much.',
  mail_failing: 'Check the addresses that are notified, and the mail server.',
  destination_failing: 'Fix the cause, then send a test. Deliveries that wait are retried.',
  destination_disabled: 'Fix the cause, enable it again, then send what it missed.',
};

const ways: Readonly<Record<AttentionKind, readonly [action: string, tab: string, alone: string]>> = {
  receiver_failing: ['See deliveries', 'deliveries?state=failed', '/projects'],
  sandbox_in_use: ['Open settings', 'settings', '/projects'],
  quarantine_waiting: ['Look through', 'quarantine', '/quarantine'],
  disk_low: ['See instance', 'settings', '/instance'],
  mail_failing: ['Open settings', 'settings', '/instance'],
  destination_failing: ['See destinations', 'destinations', '/projects'],
  destination_disabled: ['See destinations', 'destinations', '/projects'],
};

export function attentionWords({ kind, form_id }: Pick<Attention, 'kind' | 'form_id'>): AttentionWords {
  const [action, tab, elsewhere] = ways[kind] ?? ['Open', '', '/instance'];
  const words = advice[kind] ?? 'A newer kind that this page has no words for yet.';
  if (form_id !== null) return { advice: words, action, to: `/forms/${form_id}/${tab}` };
  return { advice: words, action: elsewhere === '/instance' ? 'See instance' : action, to: elsewhere };
}

/** What the server says about something that has no form: a sentence of its own. */
export const asSentence = (detail: string): string => detail.charAt(0).toUpperCase() + detail.slice(1);
