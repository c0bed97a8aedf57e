/** Suppresses an address that does not exist according to the mail server. It gets no more mail until the owner lifts that. */
import type { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import type { Store } from '../../ports/store.js';

export const createBounces = ({
  store,
  clock,
}: {
  readonly store: Pick<Store, 'forms' | 'suppressions'>;
  readonly clock: Clock;
}) => ({
  async record(formId: string, address: string, detail: string): Promise<void> {
    const owner = await store.forms.findWithProject(formId);
    if (!owner) return;
    const createdAt = clock.now();
    const { accountId } = owner.project;
    const about = { address, reason: 'bounced', detail } as const;
    await store.suppressions.add({
      id: newId(createdAt),
      accountId,
      destinationId: null,
      createdAt,
      ...about,
    });
  },
});
