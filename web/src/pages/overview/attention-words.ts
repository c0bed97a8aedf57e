/** What needs attention, in words, and where it is fixed. Pure. */
import type { Attention, AttentionKind } from '../../wire.js';
import * as words from '../../words/overview.js';

export interface AttentionWords {
  /** What to do about it. */
  readonly advice: string;
  readonly action: string;
  readonly to: string;
}

const advice: Readonly<Record<AttentionKind, string>> = {
  receiver_failing: words.receiverFailingAdvice,
  sandbox_in_use: words.sandboxInUseAdvice,
  quarantine_waiting: words.quarantineWaitingAdvice,
  disk_low: words.diskLowAdvice,
  mail_failing: words.mailFailingAdvice,
  destination_failing: words.destinationFailingAdvice,
  destination_disabled: words.destinationDisabledAdvice,
};

const ways: Readonly<Record<AttentionKind, readonly [action: string, tab: string, alone: string]>> = {
  receiver_failing: [words.seeDeliveries, 'deliveries?state=failed', '/projects'],
  sandbox_in_use: [words.openSettings, 'settings', '/projects'],
  quarantine_waiting: [words.review, 'quarantine', '/quarantine'],
  disk_low: [words.seeInstance, 'settings', '/instance'],
  mail_failing: [words.openSettings, 'settings', '/instance'],
  destination_failing: [words.openDestination, 'destinations', '/projects'],
  destination_disabled: [words.openDestination, 'destinations', '/projects'],
};

export function attentionWords({
  kind,
  form_id,
  destination,
}: Pick<Attention, 'kind' | 'form_id' | 'destination'>): AttentionWords {
  const [action, tab, elsewhere] = ways[kind] ?? [words.open, '', '/instance'];
  const said = advice[kind] ?? words.unknownKindAdvice;
  if (destination !== null) return { advice: said, action, to: `/destinations/${destination.id}` };
  if (form_id !== null) return { advice: said, action, to: `/forms/${form_id}/${tab}` };
  return { advice: said, action: elsewhere === '/instance' ? words.seeInstance : action, to: elsewhere };
}

/** What the server says about something that has no form: a sentence of its own. */
export const asSentence = (detail: string): string => detail.charAt(0).toUpperCase() + detail.slice(1);
