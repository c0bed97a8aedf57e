/** `inlet restore`: restores a backup to an empty DATA_DIR. */
import type { RestorePhase, RestoreReport } from '../../transfer/restore.js';
import { CannotRun, type Command } from '../command.js';
import { requireConfig } from '../foundation.js';
import { barText, shellWord, sizeText, type Terminal } from '../terminal.js';
import { contentsText, countText, missingLines } from './contents.js';
import { shelfPlace } from './places.js';

export const restoreCommand: Command = {
  words: ['restore'],
  summary: 'Restore a backup to DATA_DIR, which must be empty.',
  notes: [
    'The command checks the backup and does not change it. Webhooks and mails that were pending in the backup may have been sent',
    'since. Those webhooks are marked as failed, so that you can retry or replay them; those mails are not sent. --send-pending',
    'sends everything. If the backup does not include the secret, first copy the secret file of the instance to DATA_DIR, or set',
    'INLET_SECRET to its content.',
  ],
  argument: {
    name: 'BACKUP',
    required: true,
    doc: 'A backup made by `inlet backup`: a folder, an archive, or s3://bucket/prefix/NAME?endpoint=…',
  },
  options: {
    key: { value: 'FILE', doc: 'Key of an encrypted backup.' },
    'send-pending': { doc: 'Send webhooks and mails that were pending when the backup was made.' },
  },
  async run({ args, env, terminal }) {
    const config = requireConfig(env);
    if (config.databaseUrl !== null || config.storageUrl !== null) {
      throw new CannotRun(
        'A backup is restored into a data folder, but DATABASE_URL or STORAGE_URL is set. Unset them, or copy the backup to ' +
          'those places: inlet copy --from BACKUP_FOLDER --to postgres://… --to-files s3://…',
      );
    }
    const backup = shelfPlace(restoreCommand.argument?.name ?? '', args.argument ?? '', restoreCommand.words);
    const { restoreBackup } = await import('../../transfer/restore.js');
    const sendPending = args.isOn('send-pending');
    const done = await restoreBackup({
      ...{ config, backup, keyFile: args.text('key'), sendPending },
      onProgress: (what, finished, total) => terminal.progress.tell(progressText(what, finished, total)),
    });
    terminal.progress.clear();
    report(done, sendPending, terminal);
    return done.missing.length + done.damaged.length === 0 ? 0 : 1;
  },
};

function progressText(what: RestorePhase, done: number, total: number): string {
  if (what === 'checking') return 'Checking the database';
  const part = total === 0 ? 1 : done / total;
  return what === 'database'
    ? barText('Restoring the database', part, `${sizeText(done)} of ${sizeText(total)}`)
    : barText('Restoring files       ', part, `${done} of ${total}`);
}

function report(done: RestoreReport, sendPending: boolean, terminal: Terminal): void {
  terminal.note(
    ...missingLines(done.missing, 'have no bytes in the backup'),
    ...missingLines(done.damaged, 'have other bytes in the backup than were uploaded, and were left out'),
  );
  const { pending, contents } = done;
  if (terminal.json) {
    terminal.sayJson({
      folder: done.folder,
      ...contents,
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
    `Holds     ${contentsText(contents)}, ${countText(done.files, 'file')} (${sizeText(done.fileBytes)})`,
    ...(done.migrated.length > 0 ? [`Updated   to this version: ${done.migrated.join(', ')}`] : []),
    `Pending   ${countText(pending.deliveries, 'webhook')}, ${countText(pending.mails, 'mail')}: ${sendPending ? 'sent at the next start' : 'held'}`,
    ...(sendPending || pending.deliveries + pending.mails === 0
      ? []
      : [
          '          They may have been sent since the backup was made. Webhooks: send them again from the dashboard.',
        ]),
    ...(done.secretFile === null ? ['Secret    INLET_SECRET, which the next start needs too'] : []),
    `Start     DATA_DIR=${shellWord(done.folder)} inlet serve`,
  );
}
