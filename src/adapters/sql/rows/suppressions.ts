/** Suppressed addresses and daily mail counts, as rows. */
import { type Kysely, sql } from 'kysely';
import { erasedText } from '../../../model/erasure.js';
import { addressKey, type SuppressedAddress } from '../../../model/suppression.js';
import type { MailCap, MailCapStore, SuppressionStore } from '../../../ports/suppressions.js';
import { atomically, changesAny, type SqlContext } from '../context.js';
import { mapped } from '../mapping.js';
import type { Schema, SuppressedAddressRow } from '../schema.js';

/** No destination. NULLs are never equal, so with NULL an address could be suppressed twice. */
const wholeAccount = '';

const suppressed = mapped<SuppressedAddress & { destinationId: string }>()(
  'id accountId destinationId address reason detail createdAt',
);

/** No address begins with a space. An erased person stays suppressed, by a keyed hash. */
const erasedPrefix = ' ';
const erasedKey = ({ sealer }: SqlContext, address: string): string => erasedPrefix + sealer.mark(address);

/** The forms in which an address may be stored. */
const keysOf = (context: SqlContext, address: string): readonly string[] => {
  const key = addressKey(address);
  return [key, erasedKey(context, key)];
};

/** Call it inside a transaction. Returns how many. */
export async function eraseSuppressed(
  context: SqlContext,
  db: Kysely<Schema>,
  ids: readonly string[],
): Promise<number> {
  const rows = await db
    .selectFrom('suppressed_addresses')
    .select(['id', 'account_id', 'destination_id', 'address'])
    .where('id', 'in', ids)
    .execute();
  for (const { id, account_id, destination_id, address } of rows) {
    if (address.startsWith(erasedPrefix)) continue;
    // The row of the same address from an earlier erasure.
    await db
      .deleteFrom('suppressed_addresses')
      .where('account_id', '=', account_id)
      .where('destination_id', '=', destination_id)
      .where('address', '=', erasedKey(context, address))
      .execute();
    await db
      .updateTable('suppressed_addresses')
      .set({ address: erasedKey(context, address), detail: '' })
      .where('id', '=', id)
      .execute();
  }
  return rows.length;
}

const toSuppressed = (row: SuppressedAddressRow): SuppressedAddress => ({
  ...suppressed.toNoun(row),
  ...(row.address.startsWith(erasedPrefix) && { address: erasedText }),
  destinationId: row.destination_id === wholeAccount ? null : row.destination_id,
});

export const suppressionStore = (context: SqlContext): SuppressionStore => ({
  async add(noun) {
    const row = {
      ...noun,
      address: addressKey(noun.address),
      destinationId: noun.destinationId ?? wholeAccount,
    };
    await context.write
      .insertInto('suppressed_addresses')
      .values(suppressed.toRow(row))
      .onConflict((conflict) => conflict.columns(['account_id', 'address', 'destination_id']).doNothing())
      .execute();
  },

  async among(accountId, destinationId, addresses) {
    if (addresses.length === 0) return [];
    const rows = await context.read
      .selectFrom('suppressed_addresses')
      .selectAll()
      .where('account_id', '=', accountId)
      .where(
        'address',
        'in',
        addresses.flatMap((address) => keysOf(context, address)),
      )
      .where('destination_id', 'in', [wholeAccount, destinationId])
      .execute();
    return rows.map(toSuppressed);
  },

  async list(accountId, address, { limit, after }) {
    const rows = await context.read
      .selectFrom('suppressed_addresses')
      .selectAll()
      .where('account_id', '=', accountId)
      .$if(address !== null, (query) => query.where('address', 'in', keysOf(context, address ?? '')))
      .$if(after !== null, (query) => query.where('id', '<', after))
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return rows.map(toSuppressed);
  },

  lift: (accountId, id) =>
    changesAny(
      context.write
        .deleteFrom('suppressed_addresses')
        .where('account_id', '=', accountId)
        .where('id', '=', id),
    ),

  liftAddress: (accountId, destinationId, address) =>
    changesAny(
      context.write
        .deleteFrom('suppressed_addresses')
        .where('account_id', '=', accountId)
        .where('address', 'in', keysOf(context, address))
        .where('destination_id', '=', destinationId),
    ),
});

export const mailCapStore = (context: SqlContext): MailCapStore => {
  const { read } = context;

  const isPermitted = async (deliveryId: string, day: number): Promise<boolean> =>
    (await read
      .selectFrom('mail_permits')
      .select('day')
      .where('delivery_id', '=', deliveryId)
      .where('day', '=', day)
      .executeTakeFirst()) !== undefined;

  const reached = async (day: number, caps: readonly MailCap[]): Promise<MailCap | null> => {
    const rows = await read
      .selectFrom('mail_counts')
      .select(['name', 'mails'])
      .where(
        'name',
        'in',
        caps.map(({ key }) => key),
      )
      .where('day', '=', day)
      .execute();
    return (
      caps.find(({ key, most }) => rows.some(({ name, mails }) => name === key && mails >= most)) ?? null
    );
  };

  return {
    async take(deliveryId, day, caps) {
      if (await isPermitted(deliveryId, day)) return null;
      // Checked before anything is written: a flood of mails above the cap must not block writers.
      const full = await reached(day, caps);
      if (full) return full;
      return atomically(context, async (db) => {
        for (const [index, cap] of caps.entries()) {
          // One statement: if two processes count at the same moment, the second one waits and sees what the first one did.
          const { numAffectedRows } =
            await sql`INSERT INTO mail_counts (name, day, mails) VALUES (${cap.key}, ${day}, 1)
            ON CONFLICT (name, day) DO UPDATE SET mails = mail_counts.mails + 1 WHERE mail_counts.mails < ${cap.most}`.execute(
              db,
            );
          if (numAffectedRows) continue;
          for (const { key } of caps.slice(0, index))
            await sql`UPDATE mail_counts SET mails = mails - 1 WHERE name = ${key} AND day = ${day}`.execute(
              db,
            );
          return cap;
        }
        await sql`INSERT INTO mail_permits (delivery_id, day) VALUES (${deliveryId}, ${day})
          ON CONFLICT (delivery_id) DO UPDATE SET day = excluded.day`.execute(db);
        return null;
      });
    },
  };
};
