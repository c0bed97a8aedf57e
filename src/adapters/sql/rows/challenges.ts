/** Spent challenges as rows: the primary key decides which request was first. */
import type { ChallengeStore } from '../../../ports/store.js';
import type { SqlContext } from '../context.js';

export const challengeStore = (context: SqlContext): ChallengeStore => ({
  async spend(id, expiresAt) {
    const done = await context.write
      .insertInto('spent_challenges')
      .values({ id, expires_at: expiresAt })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .executeTakeFirst();
    return (done.numInsertedOrUpdatedRows ?? 0n) > 0n;
  },
});
