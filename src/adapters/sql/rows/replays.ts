/** Replays as rows, and the deliveries that one goes through. */
import { type SqlBool, sql } from 'kysely';
import { lowestIdAt } from '../../../kernel/ids.js';
import type { WebhookState } from '../../../model/delivery.js';
import type { Reach } from '../../../model/reach.js';
import type { Replay, ReplayScope } from '../../../model/replay.js';
import type { ReplayStore, SentBefore } from '../../../ports/replays.js';
import { changesAny, type SqlContext } from '../context.js';
import { maxPageBytes } from '../engine.js';
import { mapped } from '../mapping.js';
import { isOneOf } from '../reach.js';
import { replayItems } from './deliveries.js';
import { withDestination } from './destination-of.js';
import { isEpoch } from './epoch.js';
import { withFiles } from './submission-rows.js';

const replays = mapped<Replay>()(
  'id accountId formId projectId since until deliveryState destinationId filter perMinute state total sent afterId createdAt finishedAt',
);

const sentBefore = mapped<SentBefore>()('id submissionId destinationId target formId projectId state url');

/** Folders whose submissions are not sent. */
const setAside = ['spam', 'trash', 'unconfirmed'] as const;

const missingAtOnce = 200;

/** The first one, and as many more as fit into `maxPageBytes`. */
function fitting(found: readonly { readonly id: string; readonly size: number }[]): readonly string[] {
  const ids: string[] = [];
  let bytes = 0;
  for (const { id, size } of found) {
    bytes += Number(size);
    if (ids.length > 0 && bytes > maxPageBytes) break;
    ids.push(id);
  }
  return ids;
}

/** Only the tighter of both limits: see `pageConditions`. */
function behind(since: number | null, afterId: string): readonly ['>' | '>=', string] {
  const first = lowestIdAt(since ?? 0);
  return afterId < first ? ['>=', first] : ['>', afterId];
}

export const replayStore = ({ read, write, epoch }: SqlContext): ReplayStore => {
  /**
   * The states of submissions that may have these deliveries. Queried one by one and as literals, so that the indexes on the
   * rare states are used: among a million delivered submissions, only the others are read.
   */
  const statesOf = ({ deliveryState }: ReplayScope): readonly WebhookState[] =>
    deliveryState === 'delivered'
      ? ['delivered', 'failed', 'pending']
      : deliveryState === 'failed'
        ? ['failed', 'pending']
        : ['pending'];

  const submissionsOf = (scope: ReplayScope, state: WebhookState, afterId = '') => {
    let query = read
      .selectFrom('submissions')
      .where('submissions.webhook_state', '=', sql.lit(state))
      .where('submissions.id', ...behind(scope.since, afterId))
      .where('submissions.id', '<', lowestIdAt(scope.until))
      .where('submissions.folder', 'not in', setAside);
    if (scope.formId !== null) query = query.where('submissions.form_id', '=', scope.formId);
    if (scope.projectId !== null) query = query.where('submissions.project_id', '=', scope.projectId);
    return query;
  };

  const isReached = (reach: Reach) => {
    const ofForm = sql`(SELECT forms.project_id FROM forms WHERE forms.id = replays.form_id)`;
    return sql<SqlBool>`(account_id = ${reach.accountId}
      AND ${isOneOf(reach, sql`coalesce(replays.project_id, ${ofForm})`)})`;
  };

  return {
    async create(replay) {
      await write.insertInto('replays').values(replays.toRow(replay)).execute();
    },
    async find(reach, id) {
      const row = await read
        .selectFrom('replays')
        .selectAll()
        .where('id', '=', id)
        .where(isReached(reach))
        .executeTakeFirst();
      return row ? replays.toNoun(row) : null;
    },
    async list(reach) {
      const rows = await read
        .selectFrom('replays')
        .selectAll()
        .where(isReached(reach))
        .orderBy('id', 'desc')
        .limit(100)
        .execute();
      return rows.map(replays.toNoun);
    },
    async listRunning() {
      const rows = await read
        .selectFrom('replays')
        .selectAll()
        .where('state', '=', 'running')
        .orderBy('id')
        .execute();
      return rows.map(replays.toNoun);
    },
    async countRunning(accountId) {
      const row = await read
        .selectFrom('replays')
        .select((e) => e.fn.countAll<number>().as('n'))
        .where('account_id', '=', accountId)
        .where('state', '=', 'running')
        .executeTakeFirst();
      return Number(row?.n ?? 0);
    },
    async hold(id, afterId) {
      // Changes nothing, but locks the row until the transaction ends.
      return changesAny(
        write
          .updateTable('replays')
          .set({ after_id: afterId })
          .where('id', '=', id)
          .where('state', '=', 'running')
          .where('after_id', '=', afterId)
          .where(isEpoch(epoch)),
      );
    },
    progress: ({ id, state, sent, afterId, finishedAt }) =>
      changesAny(
        write
          .updateTable('replays')
          .set({ state, sent, after_id: afterId, finished_at: finishedAt })
          .where('id', '=', id)
          .where('state', '=', 'running'),
      ),
    cancel: (reach, id, now) =>
      changesAny(
        write
          .updateTable('replays')
          .set({ state: 'cancelled', finished_at: now })
          .where('id', '=', id)
          .where(isReached(reach))
          .where('state', '=', 'running'),
      ),
    async count(scope) {
      const counts = await Promise.all(
        statesOf(scope).map((state) =>
          submissionsOf(scope, state)
            .innerJoin('deliveries', 'deliveries.submission_id', 'submissions.id')
            .where('deliveries.state', '=', scope.deliveryState)
            .$if(scope.deliveryState === 'delivered', (query) =>
              query.where('deliveries.kind', '<>', 'email'),
            )
            .select((e) => e.fn.countAll<number>().as('n'))
            .executeTakeFirst(),
        ),
      );
      return counts.reduce((sum, row) => sum + Number(row?.n ?? 0), 0);
    },
    async nextMissing({ formId, projectId, since, until }, destinationId, afterId) {
      let query = read
        .selectFrom('submissions')
        .select(['id', sql<number>`octet_length(data)`.as('size')])
        .where('id', ...behind(since, afterId))
        .where('id', '<', lowestIdAt(until))
        .where('folder', 'not in', setAside)
        .where('form_id', 'not in', (e) =>
          e.selectFrom('forms').select('forms.id').where('forms.deleted_at', 'is not', null),
        )
        .orderBy('id')
        .limit(missingAtOnce);
      if (formId !== null) query = query.where('form_id', '=', formId);
      if (projectId !== null) query = query.where('project_id', '=', projectId);
      const found = await query.execute();
      const ids = fitting(found);
      if (ids.length === 0) return { items: [], afterId: null };
      const rows = await read
        .selectFrom('submissions')
        .selectAll()
        .where('id', 'in', ids)
        .orderBy('id')
        .execute();
      const sent = await read
        .selectFrom('deliveries')
        .select(['id', 'submission_id', 'destination_id', 'target', 'form_id', 'project_id', 'state', 'url'])
        .where('submission_id', 'in', ids)
        .execute();
      const here = sent
        .map((row) => withDestination(sentBefore.toNoun(row)))
        .filter((delivery) => delivery.destinationId === destinationId);
      const submissions = await withFiles(read, rows);
      return {
        items: submissions.map((submission) => ({
          submission,
          sent: here.filter(({ submissionId }) => submissionId === submission.id),
        })),
        afterId: ids.length < found.length || found.length === missingAtOnce ? (ids.at(-1) ?? null) : null,
      };
    },

    async next(scope, afterId, limit) {
      const pages = await Promise.all(
        statesOf(scope).map((state) =>
          submissionsOf(scope, state, afterId)
            .select('submissions.id')
            .orderBy('submissions.id')
            .limit(limit)
            .execute(),
        ),
      );
      const ids = pages
        .flatMap((page) => page.map((row) => row.id))
        .sort()
        .slice(0, limit);
      if (ids.length === 0) return { items: [], afterId: null };
      const rows = await read
        .selectFrom('deliveries')
        .select(['id', 'submission_id', 'form_id', 'project_id', 'destination_id', 'kind', 'target', 'url'])
        .where('submission_id', 'in', ids)
        .where('state', '=', scope.deliveryState)
        // Recipients would read a delivered mail twice.
        .$if(scope.deliveryState === 'delivered', (query) => query.where('kind', '<>', 'email'))
        .orderBy('submission_id')
        .orderBy('id')
        .execute();
      return {
        items: rows.map((row) => withDestination(replayItems.toNoun(row))),
        afterId: ids.length < limit ? null : (ids.at(-1) ?? null),
      };
    },
  };
};
