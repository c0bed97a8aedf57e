/** How the deliveries of one submission stand, on one line of a list. */
import { meanings } from '../../ui/state-badge.js';
import type { WebhookState as State } from '../../wire.js';
import * as words from '../../words/submissions.js';

const explanations: Readonly<Record<State, string>> = {
  delivered: words.everythingDelivered,
  pending: words.someWaiting,
  failed: words.someFailed,
};

/** `state` is null where the submission has no deliveries. */
export function WebhookState({ state }: { readonly state: State | null }) {
  if (state === null) return <span className="quiet">–</span>;
  const { color, word, icon: Icon } = meanings[state];
  return (
    <span
      className="above row-state"
      style={{ color: `var(--mantine-color-${color}-light-color)` }}
      data-hint={explanations[state]}
    >
      <Icon aria-hidden />
      <span className="wide-only">{word}</span>
    </span>
  );
}
