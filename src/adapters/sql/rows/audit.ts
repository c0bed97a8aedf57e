/** The audit log as rows: one chain of entries per account, and where each chain ends. */
import { type Kysely, sql } from 'kysely';
import {
  type AuditEntry,
  type AuditEvent,
  type ChainPlace,
  chainStart,
  faultOf,
  isErased,
  linked,
  type Mac,
  withoutValues,
} from '../../../model/audit.js';
import type { AuditFilter, AuditStore, ChainReport, Recorded } from '../../../ports/audit.js';
import type { SqlContext } from '../context.js';
import { mapped } from '../mapping.js';
import type { Schema } from '../schema.js';

const entries = mapped<AuditEntry>()(
  'accountId seq at action actorKind actorId objectKind objectId actorName address userAgent objectName beforeValues afterValues salts digests previousHash hash',
);

/** An event of a transaction that is still running. */
export interface Pending {
  readonly event: AuditEvent;
  readonly unlessSince: number | null;
}

interface Chain {
  readonly end: ChainPlace;
  /** Entries up to this one were removed because of their age. */
  readonly anchor: ChainPlace;
}

const macOf = (accountId: string, { end, anchor }: Chain, mac: Mac): string =>
  mac(JSON.stringify(['inlet audit chain 1', accountId, end.seq, end.hash, anchor.seq, anchor.hash]));

const chainOf = (row: Schema['audit_chains']): Chain => ({
  end: { seq: row.seq, hash: row.hash },
  anchor: { seq: row.anchor_seq, hash: row.anchor_hash },
});

const isOurs = (row: Schema['audit_chains'], mac: Mac): boolean =>
  row.mac === macOf(row.account_id, chainOf(row), mac);

const rowOf = (accountId: string, chain: Chain, mac: string): Schema['audit_chains'] => ({
  account_id: accountId,
  seq: chain.end.seq,
  hash: chain.end.hash,
  anchor_seq: chain.anchor.seq,
  anchor_hash: chain.anchor.hash,
  mac,
});

/** Locks the chain until the transaction ends: other transactions of the same account wait, those of other accounts do not. */
async function holdChain(db: Kysely<Schema>, { engine, sealer }: SqlContext, accountId: string) {
  const held = () =>
    db
      .selectFrom('audit_chains')
      .selectAll()
      .where('account_id', '=', accountId)
      .$if(engine.rowLock !== '', (query) => query.forUpdate())
      .executeTakeFirst();
  const known = await held();
  if (known) return known;
  const start = chainStart(accountId, sealer.mark);
  const chain = { end: start, anchor: start };
  await db
    .insertInto('audit_chains')
    .values(rowOf(accountId, chain, macOf(accountId, chain, sealer.mark)))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const begun = await held();
  if (!begun) throw new Error('A chain that was begun is there');
  return begun;
}

/** A chain that was tampered with keeps its wrong signature: signing it again would hide the change. */
async function saveChain(
  db: Kysely<Schema>,
  before: Schema['audit_chains'],
  after: Chain,
  mac: Mac,
): Promise<void> {
  const signed = isOurs(before, mac) ? macOf(before.account_id, after, mac) : before.mac;
  const { account_id, ...changed } = rowOf(before.account_id, after, signed);
  await db.updateTable('audit_chains').set(changed).where('account_id', '=', account_id).execute();
}

type Deed = Pick<AuditEvent, 'action' | 'objectKind' | 'objectId' | 'actorKind' | 'actorId'>;

const isSame = (one: Deed, other: Deed): boolean =>
  one.action === other.action &&
  one.objectKind === other.objectKind &&
  one.objectId === other.objectId &&
  one.actorKind === other.actorKind &&
  one.actorId === other.actorId;

/** What was done to the same objects since then, in one query for all of them. */
async function doneSince(
  db: Kysely<Schema>,
  accountId: string,
  counted: readonly Pending[],
): Promise<readonly (Deed & { readonly at: number })[]> {
  if (counted.length === 0) return [];
  const ids = [...new Set(counted.flatMap(({ event }) => event.objectId ?? []))];
  const rows = await db
    .selectFrom('audit_entries')
    .select(['action', 'object_kind', 'object_id', 'actor_kind', 'actor_id'])
    .select((is) => is.fn.max('at').as('at'))
    .where('account_id', '=', accountId)
    .where('at', '>', Math.min(...counted.map(({ unlessSince }) => unlessSince ?? Infinity)))
    .where('action', 'in', [...new Set(counted.map(({ event }) => event.action))])
    .where((is) =>
      is.or([is('object_id', 'is', null), ...(ids.length > 0 ? [is('object_id', 'in', ids)] : [])]),
    )
    .groupBy(['action', 'object_kind', 'object_id', 'actor_kind', 'actor_id'])
    .execute();
  return rows.map((row) => ({
    ...{ action: row.action, objectKind: row.object_kind, objectId: row.object_id },
    ...{ actorKind: row.actor_kind, actorId: row.actor_id, at: Number(row.at) },
  }));
}

/** Per insert: SQLite limits the number of values, and each entry has eighteen. */
const entriesAtOnce = 50;

async function appendTo(
  db: Kysely<Schema>,
  context: SqlContext,
  accountId: string,
  events: readonly Pending[],
): Promise<readonly Recorded[]> {
  const { mark: mac } = context.sealer;
  const held = await holdChain(db, context, accountId);
  const at = Math.floor(context.now());
  const chain = chainOf(held);
  let end = chain.end;
  const added: AuditEntry[] = [];
  const done = await doneSince(
    db,
    accountId,
    events.filter(({ unlessSince }) => unlessSince !== null),
  );
  for (const { event, unlessSince } of events) {
    if (unlessSince !== null) {
      const isDone = done.some((deed) => deed.at > unlessSince && isSame(deed, event));
      if (isDone || added.some((entry) => isSame(entry, event))) continue;
    }
    const entry = linked(event, at, end, mac);
    added.push(entry);
    end = entry;
  }
  if (added.length === 0) return [];
  for (let from = 0; from < added.length; from += entriesAtOnce)
    await db
      .insertInto('audit_entries')
      .values(added.slice(from, from + entriesAtOnce).map(entries.toRow))
      .execute();
  await saveChain(db, held, { ...chain, end }, mac);
  return added.map(({ seq, action }) => ({ accountId, seq, action }));
}

/** The last step of a transaction. Chains are locked in the order of their accounts, so that two transactions cannot deadlock. */
export async function appendAudit(
  db: Kysely<Schema>,
  context: SqlContext,
  pending: readonly Pending[],
): Promise<readonly Recorded[]> {
  const accounts = [...new Set(pending.map(({ event }) => event.accountId))].sort();
  const recorded: Recorded[] = [];
  for (const accountId of accounts) {
    const events = pending.filter(({ event }) => event.accountId === accountId);
    recorded.push(...(await appendTo(db, context, accountId, events)));
  }
  return recorded;
}

const pageRows = 500;

const page = (db: Kysely<Schema>, accountId: string, after: number, limit: number) =>
  db
    .selectFrom('audit_entries')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute()
    .then((rows) => rows.map(entries.toNoun));

function filtered(db: Kysely<Schema>, accountId: string, filter: AuditFilter) {
  let query = db.selectFrom('audit_entries').selectAll().where('account_id', '=', accountId);
  const { actorKind, actor, action, objectKind, objectId, from, to } = filter;
  if (actorKind !== null) query = query.where('actor_kind', '=', actorKind);
  if (actor !== null)
    query = query.where((is) => is.or([is('actor_id', '=', actor), is('actor_name', '=', actor)]));
  if (action !== null) {
    // Compared as text: it may be a name that this release does not know.
    const column = sql<string>`action`;
    // A dot sorts right before a slash: the range from `form.` to `form/` is everything that begins with `form.`.
    query = action.includes('.')
      ? query.where(column, '=', action)
      : query.where(column, '>=', `${action}.`).where(column, '<', `${action}/`);
  }
  if (objectKind !== null) query = query.where('object_kind', '=', objectKind);
  if (objectId !== null) query = query.where('object_id', '=', objectId);
  if (from !== null) query = query.where('at', '>=', from);
  if (to !== null) query = query.where('at', '<', to);
  return query;
}

/** The numbers of the entries that this entry reports as redacted. */
function redactedIn({ action, afterValues }: AuditEntry): readonly number[] {
  if (action !== 'audit.redacted' || afterValues === null) return [];
  const { entries: named } = JSON.parse(afterValues) as { readonly entries?: readonly number[] };
  return named ?? [];
}

async function verifyChain(
  context: SqlContext,
  head: Schema['audit_chains'],
  onEntries: (count: number) => void,
): Promise<ChainReport> {
  const { mark: mac } = context.sealer;
  const { account_id: accountId } = head;
  const { end, anchor } = chainOf(head);
  const unexplained = new Set<number>();
  let place = anchor;
  const reported = (fault: ChainReport['fault']): ChainReport => ({
    ...{ accountId, fault },
    entries: place.seq - anchor.seq,
    hash: place.hash,
  });
  if (!isOurs(head, mac)) return reported({ seq: end.seq, reason: 'the end of the chain was changed' });
  while (place.seq < end.seq) {
    const rows = await page(context.read, accountId, place.seq, Math.min(pageRows, end.seq - place.seq));
    if (rows.length === 0) break;
    for (const entry of rows) {
      const reason = faultOf(entry, place, mac);
      if (reason !== null) return reported({ seq: entry.seq, reason });
      place = entry;
      if (isErased(entry)) unexplained.add(entry.seq);
      for (const seq of redactedIn(entry)) unexplained.delete(seq);
    }
    onEntries(rows.length);
  }
  if (place.seq !== end.seq || place.hash !== end.hash)
    return reported({ seq: place.seq + 1, reason: 'the last entries are missing' });
  const [blank] = unexplained;
  return reported(
    blank === undefined ? null : { seq: blank, reason: 'values were blanked and no entry says so' },
  );
}

/** Listeners of all stores of one engine: the stores of transactions share them. */
export type Listeners = Set<(recorded: Recorded) => void>;

export function auditStore(context: SqlContext, listeners: Listeners): AuditStore {
  const { read, engine, sealer } = context;
  const headOf = (accountId: string) =>
    read.selectFrom('audit_chains').selectAll().where('account_id', '=', accountId).executeTakeFirst();

  /** Entries may be added, redacted and removed while this reads: a fault is checked once more if the chain has changed. */
  const verifyAccount = async (
    head: Schema['audit_chains'],
    onEntries: (count: number) => void,
  ): Promise<ChainReport> => {
    const report = await verifyChain(context, head, onEntries);
    const now = report.fault === null ? undefined : await headOf(head.account_id);
    if (now === undefined || now.mac === head.mac) return report;
    return verifyChain(context, now, () => {});
  };

  return {
    async list(accountId, filter, { limit, before }) {
      const rows = await filtered(read, accountId, filter)
        .$if(before !== null, (query) => query.where('seq', '<', before ?? 0))
        .orderBy('seq', 'desc')
        .limit(limit)
        .execute();
      return rows.map(entries.toNoun);
    },

    async verify(onProgress) {
      const heads = await read.selectFrom('audit_chains').selectAll().orderBy('account_id').execute();
      const reports: ChainReport[] = [];
      let checked = 0;
      for (const head of heads)
        reports.push(
          await verifyAccount(head, (count) => {
            checked += count;
            onProgress(checked);
          }),
        );
      return reports;
    },

    redactStep: ({ accountId, actor }, after, isPersonal) =>
      engine.transaction(async (db) => {
        const found = await page(db, accountId, after, pageRows);
        const redacted: number[] = [];
        for (const entry of found) {
          const blanked = entry.action === 'audit.redacted' ? null : withoutValues(entry, isPersonal);
          if (!blanked) continue;
          const { actor_name, address, user_agent, object_name, before_values, after_values, salts } =
            entries.toRow({ ...entry, ...blanked });
          await db
            .updateTable('audit_entries')
            .set({ actor_name, address, user_agent, object_name, before_values, after_values, salts })
            .where('account_id', '=', accountId)
            .where('seq', '=', entry.seq)
            .execute();
          redacted.push(entry.seq);
        }
        const event: AuditEvent = {
          ...{ accountId, action: 'audit.redacted', objectKind: 'audit', objectId: null, objectName: null },
          ...{ actorKind: actor.kind, actorId: actor.id, actorName: actor.name },
          ...{ address: actor.address, userAgent: actor.userAgent },
          beforeValues: null,
          afterValues: JSON.stringify({ entries: redacted }),
        };
        if (redacted.length > 0) await appendTo(db, context, accountId, [{ event, unlessSince: null }]);
        return {
          next: found.length < pageRows ? null : (found.at(-1)?.seq ?? null),
          redacted: redacted.length,
        };
      }),

    expireStep: (before) =>
      engine.transaction(async (db) => {
        const oldest = await db
          .selectFrom('audit_chains as chain')
          .innerJoin('audit_entries as entry', (join) =>
            join
              .onRef('entry.account_id', '=', 'chain.account_id')
              .on((on) => on('entry.seq', '=', on('chain.anchor_seq', '+', 1))),
          )
          .select('chain.account_id')
          .where('entry.at', '<', before)
          .limit(1)
          .executeTakeFirst();
        if (!oldest) return false;
        const held = await holdChain(db, context, oldest.account_id);
        const { end, anchor } = chainOf(held);
        let last = anchor;
        for (const entry of await page(db, held.account_id, anchor.seq, pageRows)) {
          if (entry.at >= before) break;
          last = entry;
        }
        await saveChain(db, held, { end, anchor: { seq: last.seq, hash: last.hash } }, sealer.mark);
        await db
          .deleteFrom('audit_entries')
          .where('account_id', '=', held.account_id)
          .where('seq', '<=', last.seq)
          .execute();
        return true;
      }),

    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
