/** Assembles the store from its nouns: once for normal use, and again for each transaction. */
import type { Kysely } from 'kysely';
import type { Sealer } from '../../kernel/secrets.js';
import type { BoundStore, Store, TransactionStore } from '../../ports/store.js';
import type { SqlContext } from './context.js';
import type { SqlEngine } from './engine.js';
import { accountStore, keyStore, userStore } from './rows/accounts.js';
import { aliasStore } from './rows/aliases.js';
import { appendAudit, auditStore, type Listeners, type Pending } from './rows/audit.js';
import { challengeStore } from './rows/challenges.js';
import { deliveryStore } from './rows/deliveries.js';
import { destinationStore } from './rows/destinations.js';
import { digestStore } from './rows/digests.js';
import { enterEpoch, storedEpoch } from './rows/epoch.js';
import { erasureStore } from './rows/erasures.js';
import { factorStore } from './rows/factors.js';
import { fieldStore } from './rows/fields.js';
import { fileStore } from './rows/files.js';
import { formStore } from './rows/forms.js';
import { holdSends, pendingSends } from './rows/holding.js';
import { identityProviderStore } from './rows/identity-providers.js';
import { inboxStore } from './rows/inbox.js';
import { addValue, backupName, findValue, putValue, sealName } from './rows/instance.js';
import { invitationStore, loginLinkStore } from './rows/invitations.js';
import { labelStore } from './rows/labels.js';
import { noteStore } from './rows/notes.js';
import { optInStore } from './rows/opt-ins.js';
import { personStore } from './rows/persons.js';
import { processRegistry } from './rows/processes.js';
import { projectStore } from './rows/projects.js';
import { quarantineStore } from './rows/quarantine.js';
import { deliveryQueue } from './rows/queue.js';
import { purgeStore } from './rows/removal.js';
import { replayStore } from './rows/replays.js';
import { sessionStore, setupStore } from './rows/sessions.js';
import { batchOf, submissionStore } from './rows/submissions.js';
import { mailCapStore, suppressionStore } from './rows/suppressions.js';
import { tallyStore } from './rows/tallies.js';
import { variantStore } from './rows/variants.js';
import { viewStore } from './rows/views.js';
import type { Schema } from './schema.js';

const bind = (context: SqlContext, listeners: Listeners): BoundStore => ({
  audit: auditStore(context, listeners),
  accounts: accountStore(context),
  keys: keyStore(context),
  users: userStore(context),
  sessions: sessionStore(context),
  setup: setupStore(context),
  invitations: invitationStore(context),
  loginLinks: loginLinkStore(context),
  factors: factorStore(context),
  projects: projectStore(context),
  forms: formStore(context),
  aliases: aliasStore(context),
  destinations: destinationStore(context),
  submissions: submissionStore(context),
  fields: fieldStore(context),
  inbox: inboxStore(context),
  labels: labelStore(context),
  notes: noteStore(context),
  views: viewStore(context),
  quarantine: quarantineStore(context),
  optIns: optInStore(context),
  files: fileStore(context),
  variants: variantStore(context),
  deliveries: deliveryStore(context),
  queue: deliveryQueue(context),
  digests: digestStore(context),
  replays: replayStore(context),
  challenges: challengeStore(context),
  identityProviders: identityProviderStore(context),
  suppressions: suppressionStore(context),
  mailCaps: mailCapStore(context),
  tallies: tallyStore(context),
  persons: personStore(context),
  erasures: erasureStore(context),
  processes: processRegistry(context),
  purge: purgeStore(context),
});

/** `slot`, `epoch`, `now`: see `SqlContext`; only processes that share a database need different slots. */
export function createSqlStore(
  engine: SqlEngine,
  sealer: Sealer,
  { slot = 0, epoch = 0, now = Date.now }: { slot?: number; epoch?: number; now?: () => number } = {},
): Store {
  const listeners: Listeners = new Set();
  const shared = { engine, sealer, slot, epoch, now };
  const within = (db: Kysely<Schema>): SqlContext => ({
    read: db,
    write: db,
    ...shared,
    inTransaction: true,
  });
  /** The work may run again from the start, so each run collects its own audit events. */
  const recorded = async <T>(db: Kysely<Schema>, work: (store: TransactionStore) => Promise<T>) => {
    const pending: Pending[] = [];
    const context = within(db);
    const result = await work({
      ...bind(context, listeners),
      record: (event, unlessSince) => void pending.push({ event, unlessSince: unlessSince ?? null }),
    });
    return { result, entries: await appendAudit(db, context, pending) };
  };
  return {
    ...bind({ read: engine.read, write: engine.write, ...shared, inTransaction: false }, listeners),
    async tx(work) {
      const { result, entries } = await engine.transaction((db) => recorded(db, work));
      for (const entry of entries) for (const listener of listeners) listener(entry);
      return result;
    },
    commit: (entries) => engine.insertBatch(batchOf(entries, { slot, engine })),
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
    recordBackup: (at) => putValue(engine.write, backupName, String(at)),
    backup: (path, onProgress) => engine.backup(path, onProgress),
    close: () => engine.close(),
  };
}

/** Whether the secret is this instance's. The first one used becomes it. */
async function secretOpens({ read, write }: SqlEngine, sealer: Sealer): Promise<boolean> {
  let sealed = await findValue(read, sealName);
  if (sealed === null) {
    await addValue(write, sealName, sealer.seal(sealName));
    // Another process may have been first, with a different secret.
    sealed = await findValue(read, sealName);
  }
  try {
    return sealed !== null && sealer.open(sealed) === sealName;
  } catch {
    return false;
  }
}

async function lastBackupAt({ read }: SqlEngine): Promise<number | null> {
  const at = await findValue(read, backupName);
  if (at !== null) return Number(at);
  const submission = await read.selectFrom('submissions').select('id').limit(1).executeTakeFirst();
  return submission ? 0 : null;
}

/** Whether nothing is sealed yet, so that any secret will do. */
export const isUnsealed = async ({ read }: SqlEngine): Promise<boolean> =>
  (await findValue(read, sealName)) === null;
