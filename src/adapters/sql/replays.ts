/** Replays as rows, and the deliveries that one goes through. */
import { sql } from 'kysely';
import { lowestIdAt } from '../../kernel/ids.js';
import type { DeliveryState, DeliveryTarget, WebhookState } from '../../model/delivery.js';
import type { Replay, ReplayScope, ReplayState } from '../../model/replay.js';
import type { ReplayStore } from '../../ports/replays.js';
import type { SqlContext } from './context.js';
import { isEpoch } from './epoch.js';
import type { ReplayRow } from './schema.js';

const toReplay = (row: ReplayRow): Replay => ({
  id: row.id,
  accountId: row.account_id,
  formId: row.form_id,
  projectId: row.project_id,
  since: row.since,
  until: row.until,
  deliveryState: row.delivery_state as DeliveryState,
  perMinute: row.per_minute,
  state: row.state as ReplayState,
  total: row.total,
  sent: row.sent,
  afterId: row.after_id,
  createdAt: row.created_at,
  finishedAt: row.finished_at,
});

const toRow = (replay: Replay): ReplayRow => ({
  id: replay.id,
  account_id: replay.accountId,
  form_id: replay.formId,
  project_id: replay.projectId,
  since: replay.since,
  until: replay.until,
  delivery_state: replay.deliveryState,
  per_minute: replay.perMinute,
  state: replay.state,
  total: replay.total,
  sent: replay.sent,
  after_id: replay.afterId,
  created_at: replay.createdAt,
  finished_at: replay.finishedAt,
});

export const replayStore = ({ read, write, epoch }: SqlContext): ReplayStore => {
  /**
   * The states that submissions with such deliveries are in. Asked for one by one and as literals, so that the indexes of
   * the rare states serve: of a million that arrived only those that did not are looked at.
   */
  const statesOf = ({ deliveryState }: ReplayScope): readonly WebhookState[] =>
    deliveryState === 'failed' ? ['failed', 'pending'] : ['delivered', 'failed', 'pending'];

  const submissionsOf = (scope: ReplayScope, state: WebhookState) => {
    let query = read
      .selectFrom('submissions')
      .where('submissions.webhook_state', '=', sql.lit(state))
      .where('submissions.id', '>=', lowestIdAt(scope.since ?? 0))
      .where('submissions.id', '<', lowestIdAt(scope.until));
    if (scope.formId !== null) query = query.where('submissions.form_id', '=', scope.formId);
    if (scope.projectId !== null) query = query.where('submissions.project_id', '=', scope.projectId);
    return query;
  };

  return {
    async create(replay) {
      await write.insertInto('replays').values(toRow(replay)).execute();
    },
    async find(accountId, id) {
      const row = await read
        .selectFrom('replays')
        .selectAll()
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .executeTakeFirst();
      return row ? toReplay(row) : null;
    },
    async list(accountId) {
      const rows = await read
        .selectFrom('replays')
        .selectAll()
        .where('account_id', '=', accountId)
        .orderBy('id', 'desc')
        .limit(100)
        .execute();
      return rows.map(toReplay);
    },
    async listRunning() {
      const rows = await read
        .selectFrom('replays')
        .selectAll()
        .where('state', '=', 'running')
        .orderBy('id')
        .execute();
      return rows.map(toReplay);
    },
    async hold(id, afterId) {
      // Changes nothing, but has the row until the transaction ends.
      const done = await write
        .updateTable('replays')
        .set({ after_id: afterId })
        .where('id', '=', id)
        .where('state', '=', 'running')
        .where('after_id', '=', afterId)
        .where(isEpoch(epoch))
        .executeTakeFirst();
      return done.numUpdatedRows > 0n;
    },
    async progress({ id, state, sent, afterId, finishedAt }) {
      const done = await write
        .updateTable('replays')
        .set({ state, sent, after_id: afterId, finished_at: finishedAt })
        .where('id', '=', id)
        .where('state', '=', 'running')
        .executeTakeFirst();
      return done.numUpdatedRows > 0n;
    },
    async cancel(accountId, id, now) {
      const done = await write
        .updateTable('replays')
        .set({ state: 'cancelled', finished_at: now })
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .where('state', '=', 'running')
        .executeTakeFirst();
      return done.numUpdatedRows > 0n;
    },
    async count(scope) {
      const counts = await Promise.all(
        statesOf(scope).map((state) =>
          submissionsOf(scope, state)
            .innerJoin('deliveries', 'deliveries.submission_id', 'submissions.id')
            .where('deliveries.state', '=', scope.deliveryState)
            .select((e) => e.fn.countAll<number>().as('n'))
            .executeTakeFirst(),
        ),
      );
      return counts.reduce((sum, row) => sum + Number(row?.n ?? 0), 0);
    },
    async next(scope, afterId, limit) {
      const pages = await Promise.all(
        statesOf(scope).map((state) =>
          submissionsOf(scope, state)
            .select('submissions.id')
            .where('submissions.id', '>', afterId)
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
        .select(['id', 'submission_id', 'form_id', 'target', 'url'])
        .where('submission_id', 'in', ids)
        .where('state', '=', scope.deliveryState)
        .orderBy('submission_id')
        .orderBy('id')
        .execute();
      return {
        items: rows.map((row) => ({
          id: row.id,
          submissionId: row.submission_id,
          formId: row.form_id,
          target: row.target as DeliveryTarget,
          url: row.url,
        })),
        afterId: ids.length < limit ? null : (ids.at(-1) ?? null),
      };
    },
  };
};
