/** `inlet restore`: puts a backup into an empty DATA_DIR. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ShelfPlace } from '../compose/backup-shelf.js';
import type { RestoreReport } from '../compose/restore.js';
import { createLogger } from '../kernel/log.js';
import { CannotRun, type Command } from './command.js';
import { type Contents, contentsOf, contentsText, missingLines } from './contents.js';
import { requireConfig } from './foundation.js';
import { shelfPlace } from './places.js';
import { barText, shellWord, sizeText, type Terminal } from './terminal.js';

export const restoreCommand: Command = {
  words: ['restore'],
  summary: 'Put a backup into DATA_DIR, which must be empty.',
  notes: [
    'The backup is checked and stays as it is. What waited to be sent when it was made may have been sent since: those webhooks',
    'are marked as failed, to be sent again by hand or by a replay, and those mails are not sent. --send-pending sends all of it.',
    'A backup without the secret needs it: copy the secret file of the instance into DATA_DIR, or set INLET_SECRET to its content.',
  ],
  argument: {
    name: 'BACKUP',
    required: true,
    doc: 'What `inlet backup` made: a folder, an archive, or s3://bucket/prefix/NAME?endpoint=…',
  },
  options: {
    key: { value: 'FILE', doc: 'The key of an encrypted backup.' },
    'send-pending': { doc: 'Send what waited to be sent when the backup was made.' },
  },
  async run({ args, env, terminal }) {
    const config = requireConfig(env);
    if (config.databaseUrl !== null || config.storageUrl !== null) {
      throw new CannotRun(
        'A backup is restored into a data folder, but DATABASE_URL or STORAGE_URL is set. Unset them, or copy the backup to ' +
          'those places: inlet copy --from BACKUP_FOLDER --to postgres://… --to-files s3://…',
      );
    }
    const place = shelfPlace(restoreCommand.argument?.name ?? '', args.argument ?? '', restoreCommand.words);
    const { restoreBackup } = await import('../compose/restore.js');
    const sendPending = args.isOn('send-pending');
    let held: Contents = { accounts: 0, projects: 0, forms: 0, submissions: 0 };
    const done = await withFolder(place, args.text('key'), (backup) =>
      restoreBackup({
        config,
        log: createLogger('warn', 'stderr'),
        backup,
        sendPending,
        onProgress: (what, finished, total) => terminal.progress.tell(progressText(what, finished, total)),
        async describe(restored) {
          held = await contentsOf(restored);
        },
      }),
    );
    terminal.progress.clear();
    report(done, held, sendPending, terminal);
    return done.missing.length + done.damaged.length === 0 ? 0 : 1;
  },
};

/** An archive is unpacked into the temporary folder first. */
async function withFolder<T>(
  place: ShelfPlace,
  keyFile: string | null,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const { openArchive } = await import('../compose/backup-shelf.js');
  const archive = await openArchive(place);
  if (archive === null) return work(place.kind === 'folder' ? place.path : '');
  const { readKeyFile, unpackInto } = await import('../compose/archive.js');
  const folder = await mkdtemp(join(tmpdir(), 'inlet-restore-'));
  try {
    await unpackInto(folder, archive, keyFile === null ? null : await readKeyFile(keyFile));
    return await work(folder);
  } finally {
    archive.destroy();
    await rm(folder, { recursive: true, force: true });
  }
}

function progressText(what: 'database' | 'files' | 'checking', done: number, total: number): string {
  if (what === 'checking') return 'Checking the database';
  const part = total === 0 ? 1 : done / total;
  return what === 'database'
    ? barText('Restoring the database', part, `${sizeText(done)} of ${sizeText(total)}`)
    : barText('Restoring files       ', part, `${done} of ${total}`);
}

function report(done: RestoreReport, held: Contents, sendPending: boolean, terminal: Terminal): void {
  terminal.note(
    ...missingLines(done.missing, 'have no bytes in the backup'),
    ...missingLines(done.damaged, 'have other bytes in the backup than were uploaded, and were left out'),
  );
  const { pending } = done;
  if (terminal.json) {
    terminal.sayJson({
      folder: done.folder,
      ...held,
      files: done.files,
      file_bytes: done.fileBytes,
      files_missing: done.missing,
      files_damaged: done.damaged,
      migrated: done.migrated,
      pending: { webhooks: pending.deliveries, mails: pending.mails, replays: pending.replays },
      pending_are: sendPending ? 'sent' : 'held',
      secret_file: done.secretFile,
    });
    return;
  }
  terminal.say(
    `Restored  ${done.folder}`,
    `Holds     ${contentsText(held)}, ${done.files} files (${sizeText(done.fileBytes)})`,
    ...(done.migrated.length > 0 ? [`Updated   to this version: ${done.migrated.join(', ')}`] : []),
    `Pending   ${pending.deliveries} webhooks, ${pending.mails} mails: ${sendPending ? 'sent at the next start' : 'held'}`,
    ...(sendPending || pending.deliveries + pending.mails === 0
      ? []
      : [
          '          They may have been sent since the backup was made. Webhooks: send them again from the dashboard.',
        ]),
    ...(done.secretFile === null ? ['Secret    INLET_SECRET, which the next start needs too'] : []),
    `Start     DATA_DIR=${shellWord(done.folder)} inlet serve`,
  );
}
