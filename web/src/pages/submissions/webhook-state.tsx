/** The delivery state of a submission, on one line of a list. */
import { IconPlayerPause } from '@tabler/icons-react';
import { meanings } from '../../ui/state-badge.js';
import type { WebhookState as State, Submission } from '../../wire.js';
import * as states from '../../words/states.js';
import * as words from '../../words/submissions.js';

const explanations: Readonly<Record<State, string>> = {
  delivered: words.everythingDelivered,
  pending: words.someWaiting,
  failed: words.someFailed,
};

/** Deliveries in spam or trash are paused, as on the submission's page and in the list of deliveries. */
function factsOf(state: State, folder: Submission['folder']) {
  if (state === 'pending' && (folder === 'spam' || folder === 'trash'))
    return { color: 'gray', word: states.paused, icon: IconPlayerPause, hint: words.somePaused[folder] };
  return { ...meanings[state], hint: explanations[state] };
}

export function WebhookState({ submission }: { readonly submission: Submission }) {
  const { delivery_state, folder } = submission;
  if (!delivery_state) return <span className="quiet">–</span>;
  const { color, word, icon: Icon, hint } = factsOf(delivery_state, folder);
  return (
    <span
      className="above row-state"
      style={{ color: `var(--mantine-color-${color}-light-color)` }}
      data-hint={hint}
    >
      <Icon aria-hidden />
      <span className="wide-only">{word}</span>
    </span>
  );
}
