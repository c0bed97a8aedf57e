/** What needs attention, in words, and where it is fixed. Pure. */
import type { Attention, AttentionKind } from '../../wire.js';

export interface AttentionWords {
  /** What to do about it. */
  readonly advice: string;
  readonly action: string;
  readonly to: string;
}

const advice: Readonly<Record<AttentionKind, string>> = {
  receiver_failing: 'Check why deliveries failed, then retry them.',
  sandbox_in_use: 'Switch it to live, or register the addresses that test it.',
  quarantine_waiting: 'Review them and release anything that isn’t spam.',
  disk_low: 'Free space, or set retention on busy forms.',
  mail_failing: 'Check the addresses that are notified, and the mail server.',
  destination_failing: 'Fix the cause, then send a test. Waiting deliveries are retried.',
  destination_disabled: 'Fix the cause, enable it again, then send what it missed.',
};

const ways: Readonly<Record<AttentionKind, readonly [action: string, tab: string, alone: string]>> = {
  receiver_failing: ['See deliveries', 'deliveries?state=failed', '/projects'],
  sandbox_in_use: ['Open settings', 'settings', '/projects'],
  quarantine_waiting: ['Review', 'quarantine', '/quarantine'],
  disk_low: ['See instance', 'settings', '/instance'],
  mail_failing: ['Open settings', 'settings', '/instance'],
  destination_failing: ['Open destination', 'destinations', '/projects'],
  destination_disabled: ['Open destination', 'destinations', '/projects'],
};

export function attentionWords({
  kind,
  form_id,
  destination,
}: Pick<Attention, 'kind' | 'form_id' | 'destination'>): AttentionWords {
  const [action, tab, elsewhere] = ways[kind] ?? ['Open', '', '/instance'];
  const words = advice[kind] ?? 'A newer kind that this page has no words for yet.';
  if (destination !== null) return { advice: words, action, to: `/destinations/${destination.id}` };
  if (form_id !== null) return { advice: words, action, to: `/forms/${form_id}/${tab}` };
  return { advice: words, action: elsewhere === '/instance' ? 'See instance' : action, to: elsewhere };
}

/** What the server says about something that has no form: a sentence of its own. */
export const asSentence = (detail: string): string => detail.charAt(0).toUpperCase() + detail.slice(1);
