/** What needs attention, in words, with a link to fix it. Pure. */
import { causeOf } from '../../ui/delivery-cause.js';
import type { Attention, AttentionKind } from '../../wire.js';
import * as words from '../../words/overview.js';

export interface AttentionWords {
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

/** Whether the form's submissions go to the destination. A project's destination receives those of all its forms. */
const isSentTo = (item: Attention, { form_id, project_id, destination }: Attention): boolean =>
  destination !== null && (form_id === null ? project_id === item.project_id : form_id === item.form_id);

/** A failing destination already says that deliveries are retried. Given-up deliveries stay listed, because they need a manual retry. */
export const withoutRepeats = (items: readonly Attention[]): readonly Attention[] =>
  items.filter(
    (item) =>
      item.kind !== 'receiver_failing' ||
      item.given_up !== 0 ||
      !items.some((other) => isSentTo(item, other)),
  );

/** What happened, in the same words as a submission's timeline. */
export function detailWords({ kind, destination, detail }: Attention): string {
  if (destination === null) return detail;
  const { name, last_error: error } = destination;
  const cause = error === null ? null : causeOf({ status: null, error });
  return kind === 'destination_disabled'
    ? words.destinationDisabled(name, cause)
    : words.destinationFailing(name, cause);
}

/** The server's text for an item without a form, as a sentence of its own. */
export const asSentence = (detail: string): string => detail.charAt(0).toUpperCase() + detail.slice(1);
