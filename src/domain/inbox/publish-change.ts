/** Publishes which submissions users have changed, so that live pages show it. */
import type { Principal } from '../../model/account.js';
import type { InboxState } from '../../model/inbox.js';
import type { Signals } from '../../ports/signals.js';

/** Per form. With more changes no ids are sent, and pages refetch their list. */
const mostNamed = 100;

type Changed = Pick<InboxState, 'id' | 'formId' | 'projectId'>;

export type PublishChange = (who: Principal, changed: readonly Changed[]) => void;

export const createPublishChange =
  (signals: Signals): PublishChange =>
  ({ accountId }, changed) => {
    if (!signals.isHeard('submissions-changed')) return;
    const byForm = new Map<string, { projectId: string; ids: string[] }>();
    for (const { id, formId, projectId } of changed) {
      const known = byForm.get(formId);
      if (known) known.ids.push(id);
      else byForm.set(formId, { projectId, ids: [id] });
    }
    for (const [formId, { projectId, ids }] of byForm) {
      const submissionIds = ids.length > mostNamed ? [] : ids;
      signals.publish({ kind: 'submissions-changed', accountId, projectId, formId, submissionIds });
    }
  };
