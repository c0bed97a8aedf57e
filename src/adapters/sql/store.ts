/** Assembles the store from its nouns, once for use and once more for each transaction. */
import type { Kysely } from 'kysely';
import type { Sealer } from '../../kernel/secrets.js';
import type { BoundStore, Store } from '../../ports/store.js';
import { accountStore, keyStore, userStore } from './accounts.js';
import type { SqlContext } from './context.js';
import { deliveryStore } from './deliveries.js';
import type { SqlEngine } from './engine.js';
import { fileStore } from './files.js';
import { formStore } from './forms.js';
import { projectStore } from './projects.js';
import { purgeStore } from './removal.js';
import type { Schema } from './schema.js';
import { batchOf, submissionStore } from './submissions.js';

const bind = (context: SqlContext): BoundStore => ({
  accounts: accountStore(context),
  keys: keyStore(context),
  users: userStore(context),
  projects: projectStore(context),
  forms: formStore(context),
  submissions: submissionStore(context),
  files: fileStore(context),
  deliveries: deliveryStore(context),
  purge: purgeStore(context),
});

export function createSqlStore(engine: SqlEngine, sealer: Sealer): Store {
  const within = (db: Kysely<Schema>): BoundStore =>
    bind({ read: db, write: db, engine, sealer, inTransaction: true });
  return {
    ...bind({ read: engine.read, write: engine.write, engine, sealer, inTransaction: false }),
    tx: (work) => engine.write.transaction().execute((db) => work(within(db))),
    commit: (entries) => engine.insertBatch(batchOf(entries)),
    indexStep: () => engine.indexStep(),
    check: () => engine.check(),
    verify: () => engine.verify(),
    backup: (path, onProgress) => engine.backup(path, onProgress),
    close: () => engine.close(),
  };
}
