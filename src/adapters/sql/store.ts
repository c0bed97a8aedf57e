/** Assembles the store from its nouns, once for use and once more for each transaction. */
import type { Kysely } from 'kysely';
import type { Sealer } from '../../kernel/secrets.js';
import type { BoundStore, Store } from '../../ports/store.js';
import { accountStore, keyStore, userStore } from './accounts.js';
import { lastBackupAt, recordBackup } from './backups.js';
import { challengeStore } from './challenges.js';
import type { SqlContext } from './context.js';
import { deliveryStore } from './deliveries.js';
import type { SqlEngine } from './engine.js';
import { enterEpoch, storedEpoch } from './epoch.js';
import { fileStore } from './files.js';
import { formStore } from './forms.js';
import { holdSends, pendingSends } from './holding.js';
import { mailStore } from './mails.js';
import { processRegistry } from './processes.js';
import { projectStore } from './projects.js';
import { quarantineStore } from './quarantine.js';
import { deliveryQueue } from './queue.js';
import { purgeStore } from './removal.js';
import { replayStore } from './replays.js';
import type { Schema } from './schema.js';
import { sessionStore, setupStore } from './sessions.js';
import { batchOf, submissionStore } from './submissions.js';
import { tallyStore } from './tallies.js';
import { variantStore } from './variants.js';

const bind = (context: SqlContext): BoundStore => ({
  accounts: accountStore(context),
  keys: keyStore(context),
  users: userStore(context),
  sessions: sessionStore(context),
  setup: setupStore(context),
  projects: projectStore(context),
  forms: formStore(context),
  submissions: submissionStore(context),
  quarantine: quarantineStore(context),
  files: fileStore(context),
  variants: variantStore(context),
  deliveries: deliveryStore(context),
  queue: deliveryQueue(context),
  mails: mailStore(context),
  replays: replayStore(context),
  challenges: challengeStore(context),
  tallies: tallyStore(context),
  processes: processRegistry(context),
  purge: purgeStore(context),
});

/** `slot`, `epoch`: see `SqlContext`; only processes that share a database need different slots. */
export function createSqlStore(
  engine: SqlEngine,
  sealer: Sealer,
  { slot = 0, epoch = 0 }: { slot?: number; epoch?: number } = {},
): Store {
  const within = (db: Kysely<Schema>): BoundStore =>
    bind({ read: db, write: db, engine, sealer, slot, epoch, inTransaction: true });
  return {
    ...bind({ read: engine.read, write: engine.write, engine, sealer, slot, epoch, inTransaction: false }),
    tx: (work) => engine.transaction((db) => work(within(db))),
    commit: (entries) => engine.insertBatch(batchOf(entries, slot)),
    indexStep: () => engine.indexStep(),
    secretOpens: () => secretOpens(engine, sealer),
    check: () => engine.check(),
    describe: async () => ({ engine: engine.name, sizeBytes: await engine.sizeBytes() }),
    verify: () => engine.verify(),
    pendingSends: () => pendingSends(engine),
    holdSends: (reason, at) => holdSends(engine, reason, at),
    enterEpoch: (reason, at) => enterEpoch(engine, epoch, reason, at),
    storedEpoch: () => storedEpoch(engine.read),
    lastBackupAt: () => lastBackupAt(engine),
    recordBackup: (at) => recordBackup(engine, at),
    backup: (path, onProgress) => engine.backup(path, onProgress),
    close: () => engine.close(),
  };
}

/** A value that only the right secret opens, sealed by the first one that came. */
async function secretOpens({ read, write }: SqlEngine, sealer: Sealer): Promise<boolean> {
  const name = 'seal_check';
  const find = () => read.selectFrom('instance').select('value').where('name', '=', name).executeTakeFirst();
  let known = await find();
  if (!known) {
    await write
      .insertInto('instance')
      .values({ name, value: sealer.seal(name) })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
    // Another process may have been faster, with another secret.
    known = await find();
  }
  try {
    return known !== undefined && sealer.open(known.value) === name;
  } catch {
    return false;
  }
}

/** Whether nothing is sealed yet: any secret will do. */
export const isUnsealed = async ({ read }: SqlEngine): Promise<boolean> =>
  (await read.selectFrom('instance').select('name').where('name', '=', 'seal_check').executeTakeFirst()) ===
  undefined;
