/** Destinations as rows. */
import { type Kysely, sql } from 'kysely';
import type { KindName } from '../../../contract/destination.js';
import type { Sealer } from '../../../kernel/secrets.js';
import type { Destination, KindAndConfig } from '../../../model/destination.js';
import { type Reach, wholeAccount } from '../../../model/reach.js';
import type {
  DestinationOwner,
  DestinationStore,
  StoredDestination,
  TroubledDestination,
} from '../../../ports/destinations.js';
import { StoreConflict } from '../../../ports/store.js';
import { atomically, changesAny, runBatch, type SqlContext } from '../context.js';
import { inReach } from '../reach.js';
import type { DestinationRow, Flag, Schema } from '../schema.js';
import { healthStatements } from './destination-health.js';
import { isNotPaused } from './pausing.js';

const flag = (value: boolean): Flag => (value ? 1 : 0);

/** For a row without a config: its values are settings of the owner. */
const emptyConfig = (kind: KindName): unknown =>
  kind === 'email'
    ? { to: [], cc: [], bcc: [] }
    : { url: '', method: 'POST', headers: {}, secret: null, content_type: 'application/json' };

const toStored = (row: DestinationRow, sealer: Sealer): StoredDestination => ({
  id: row.id,
  projectId: row.project_id,
  formId: row.form_id,
  ...({
    kind: row.kind,
    config: row.config === '' ? emptyConfig(row.kind) : JSON.parse(sealer.open(row.config)),
  } as KindAndConfig),
  name: row.name,
  isActive: row.is_active === 1,
  builtIn: row.built_in === 1,
  filter: row.filter,
  template: row.template,
  retryDelaysMs: row.retry_delays === null ? null : (JSON.parse(row.retry_delays) as number[]),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  health: {
    failures: row.failures,
    failingSince: row.failing_since,
    lastFailedAt: row.last_failed_at,
    lastSuccessAt: row.last_success_at,
    lastError: row.last_error,
    disabledAt: row.disabled_at,
  },
});

const settingsColumns = (destination: Destination, sealer: Sealer) => ({
  name: destination.name,
  is_active: flag(destination.isActive),
  config: destination.builtIn ? '' : sealer.seal(JSON.stringify(destination.config)),
  filter: destination.filter,
  template: destination.template,
  retry_delays: destination.retryDelaysMs === null ? null : JSON.stringify(destination.retryDelaysMs),
  updated_at: destination.updatedAt,
});

const toRow = (destination: Destination, sealer: Sealer): DestinationRow => ({
  ...settingsColumns(destination, sealer),
  id: destination.id,
  project_id: destination.projectId,
  form_id: destination.formId,
  kind: destination.kind,
  built_in: flag(destination.builtIn),
  created_at: destination.createdAt,
  ...untroubled,
  last_failed_at: null,
  last_success_at: null,
  last_error: null,
});

const untroubled = {
  failures: 0,
  failing_since: null,
  disabled_at: null,
  told_state: 'ok',
} as const;

/** Destinations of projects and forms that are not deleted. */
const living = (db: Kysely<Schema>) =>
  db
    .selectFrom('destinations')
    .innerJoin('projects', 'projects.id', 'destinations.project_id')
    .leftJoin('forms', 'forms.id', 'destinations.form_id')
    .where('projects.deleted_at', 'is', null)
    .where('forms.deleted_at', 'is', null);

const ofAccount = (db: Kysely<Schema>, reach: Reach) => living(db).where(inReach(reach));

const ofOwner = (db: Kysely<Schema>, reach: Reach, owner: DestinationOwner) =>
  owner.kind === 'form'
    ? ofAccount(db, reach).where('destinations.form_id', '=', owner.formId)
    : ofAccount(db, reach)
        .where('destinations.project_id', '=', owner.projectId)
        .where('destinations.form_id', 'is', null);

/** A webhook URL that its owner has removed no longer fails, but its row stays. */
const isStillSet = sql<boolean>`(destinations.built_in = 0 OR destinations.kind <> 'webhook'
  OR CASE WHEN destinations.form_id IS NULL THEN projects.webhook_url ELSE forms.webhook_url END IS NOT NULL)`;

/** Throws unless the project is in the reach and the form in the project. */
async function requireOwner(
  db: Kysely<Schema>,
  reach: Reach,
  { projectId, formId }: Pick<Destination, 'projectId' | 'formId'>,
): Promise<void> {
  const project = db
    .selectFrom('projects')
    .select('projects.id')
    .where('projects.id', '=', projectId)
    .where(inReach(reach))
    .where('projects.deleted_at', 'is', null);
  const owner =
    formId === null
      ? project
      : project
          .innerJoin('forms', 'forms.project_id', 'projects.id')
          .where('forms.id', '=', formId)
          .where('forms.deleted_at', 'is', null);
  if (!(await owner.executeTakeFirst())) throw new StoreConflict('reference');
}

/** The length of the id at the end of a lane. */
const idLength = 36;

export const destinationStore = (context: SqlContext): DestinationStore => {
  const { read, write, sealer } = context;
  const opened = (row: DestinationRow): StoredDestination => toStored(row, sealer);

  const troubled = (db: Kysely<Schema>) =>
    living(db)
      .selectAll('destinations')
      .select(['projects.account_id', 'projects.name as project_name', 'forms.name as form_name']);

  const toTroubled = (
    row: DestinationRow & { account_id: string; project_name: string; form_name: string | null },
  ): TroubledDestination => ({
    ...opened(row),
    accountId: row.account_id,
    formName: row.form_name,
    projectName: row.project_name,
    notifiedState: row.told_state,
  });

  const own = (db: Kysely<Schema>, reach: Reach, id: string) =>
    db
      .updateTable('destinations')
      .where('id', '=', id)
      .where('id', 'in', ofAccount(db, reach).select('destinations.id'));

  const update = async (db: Kysely<Schema>, reach: Reach, destination: Destination) => {
    // An owner who enables it again has seen the failures, and starts afresh.
    if (destination.isActive)
      await own(db, reach, destination.id).set(untroubled).where('is_active', '=', 0).execute();
    return changesAny(own(db, reach, destination.id).set(settingsColumns(destination, sealer)));
  };

  return {
    async find(reach, id) {
      const row = await ofAccount(read, reach)
        .selectAll('destinations')
        .where('destinations.id', '=', id)
        .executeTakeFirst();
      return row ? opened(row) : null;
    },

    async list(reach, owner) {
      const rows = await ofOwner(read, reach, owner)
        .selectAll('destinations')
        .orderBy('destinations.id')
        .execute();
      return rows.map(opened);
    },

    async count(reach, owner) {
      const row = await ofOwner(read, reach, owner)
        .where('destinations.built_in', '=', 0)
        .select((e) => e.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow();
      return Number(row.n);
    },

    create: (reach, destination) =>
      atomically(context, async (db) => {
        await requireOwner(db, reach, destination);
        await db.insertInto('destinations').values(toRow(destination, sealer)).execute();
      }),

    update: (reach, destination) => atomically(context, (db) => update(db, reach, destination)),

    putBuiltIn: (reach, destination) =>
      atomically(context, async (db) => {
        if (await update(db, reach, destination)) return;
        await requireOwner(db, reach, destination);
        await db.insertInto('destinations').values(toRow(destination, sealer)).execute();
      }),

    delete: (reach, id) =>
      changesAny(
        write
          .deleteFrom('destinations')
          .where('id', '=', id)
          .where('built_in', '=', 0)
          .where('id', 'in', ofAccount(write, reach).select('destinations.id')),
      ),

    async waiting(ids, most) {
      const counts = new Map<string, number>();
      if (ids.length === 0) return counts;
      // A lane ends with the id of its destination; a destination whose address was changed has several. Jumps from lane to
      // lane through the index of the queue, as `queueHeads` does: a separate index would slow down every delivery.
      const { rows } = await sql<{ lane: string; n: number }>`
        WITH RECURSIVE lanes (lane) AS (
          SELECT min(lane) FROM deliveries WHERE state = 'pending'
          UNION ALL
          SELECT (SELECT lane FROM deliveries WHERE state = 'pending' AND lane > lanes.lane ORDER BY lane LIMIT 1)
          FROM lanes WHERE lanes.lane IS NOT NULL
        )
        SELECT lane, (
          SELECT count(*) FROM (
            SELECT 1 FROM deliveries WHERE state = 'pending' AND deliveries.lane = lanes.lane AND ${isNotPaused} LIMIT ${sql.lit(most)}
          ) AS waiting
        ) AS n FROM lanes
        WHERE substr(lane, length(lane) - ${sql.lit(idLength - 1)}) IN (${sql.join(ids)})`.execute(read);
      for (const { lane, n } of rows) {
        // All deliveries of the lane are paused.
        if (Number(n) === 0) continue;
        const id = lane.slice(-idLength);
        counts.set(id, Math.min(most, (counts.get(id) ?? 0) + Number(n)));
      }
      return counts;
    },

    async listForIntake(formId, projectId) {
      const rows = await read
        .selectFrom('destinations')
        .selectAll()
        .where('form_id', '=', formId)
        .unionAll((e) =>
          e
            .selectFrom('destinations')
            .selectAll()
            .where('project_id', '=', projectId)
            .where('form_id', 'is', null),
        )
        .orderBy('id')
        .execute();
      return rows.map(opened);
    },

    async listErasureSubscribers(accountId) {
      const rows = await ofAccount(read, wholeAccount(accountId))
        .selectAll('destinations')
        .select((e) =>
          e.fn
            .coalesce(
              'destinations.form_id',
              e
                .selectFrom('forms as one')
                .select((of) => of.fn.min<string>('one.id').as('id'))
                .whereRef('one.project_id', '=', 'destinations.project_id')
                .where('one.deleted_at', 'is', null),
            )
            .as('any_form'),
        )
        .where('destinations.kind', '=', 'webhook')
        .where('destinations.built_in', '=', 0)
        .where('destinations.is_active', '=', 1)
        .orderBy('destinations.id')
        .execute();
      return rows.flatMap(({ any_form: formId, ...row }) => {
        const destination = opened(row);
        return destination.kind === 'webhook' && destination.config.person_erased && formId !== null
          ? [{ destination, formId }]
          : [];
      });
    },

    async names(ids) {
      if (ids.length === 0) return new Map();
      const rows = await read
        .selectFrom('destinations')
        .select(['id', 'kind', 'name'])
        .where('id', 'in', [...new Set(ids)])
        .execute();
      return new Map(rows.map(({ id, kind, name }) => [id, { kind, name }]));
    },

    async recordHealth(changes) {
      const ids = changes.map(({ destinationId }) => destinationId);
      const stored = await read
        .selectFrom('destinations')
        .select(['id', 'failures', 'last_success_at'])
        .where('id', 'in', ids)
        .execute();
      const statements = healthStatements(changes, stored);
      if (statements.length > 0) await runBatch(context, statements);
    },

    async listTroubled(afterId, limit) {
      const rows = await troubled(read)
        .where('destinations.id', '>', afterId)
        .where((e) => e.or([e('failures', '>', 0), e('told_state', '<>', sql.lit('ok'))]))
        // There is nothing more to report about those that stay disabled.
        .where((e) => e.or([e('destinations.is_active', '=', 1), e('told_state', '<>', sql.lit('disabled'))]))
        .where(isStillSet)
        .orderBy('destinations.id')
        .limit(limit)
        .execute();
      return rows.map(toTroubled);
    },

    async listNeedingAttention(reach) {
      const rows = await troubled(read)
        .where(inReach(reach))
        .where((e) => e.or([e('failures', '>', 0), e('told_state', '<>', sql.lit('ok'))]))
        .where(isStillSet)
        .orderBy('destinations.id')
        .limit(1_000)
        .execute();
      return rows.map(toTroubled);
    },

    disable: (id, at) =>
      changesAny(
        write
          .updateTable('destinations')
          .set({ is_active: 0, disabled_at: at })
          .where('id', '=', id)
          .where('is_active', '=', 1),
      ),

    async startAfresh(id) {
      // Both engines read the old `disabled_at`, also where the same statement changes it.
      const isActive = sql<Flag>`CASE WHEN disabled_at IS NULL THEN is_active ELSE 1 END`;
      await write
        .updateTable('destinations')
        .set({ ...untroubled, is_active: isActive })
        .where('id', '=', id)
        .execute();
    },

    markNotified: (id, before, state) =>
      changesAny(
        write
          .updateTable('destinations')
          .set({ told_state: state })
          .where('id', '=', id)
          .where('told_state', '=', before),
      ),

    async load(id) {
      const row = await living(read)
        .selectAll('destinations')
        .where('destinations.id', '=', id)
        .executeTakeFirst();
      return row ? opened(row) : null;
    },
  };
};
