/** `inlet backup`: copies the whole instance while it is being served. */
import type { Config } from '../../config/options.js';
import type { BackupReport } from '../../transfer/backup.js';
import type { ShelfPlace } from '../../transfer/shelf.js';
import { type Arguments, CannotRun, type Command, WrongUsage } from '../command.js';
import { requireConfig, withFoundation } from '../foundation.js';
import { shellWord, sizeText, type Terminal } from '../terminal.js';
import { contentsText, countText } from './contents.js';
import { shelfPlace } from './places.js';

const words = ['backup'];

export const backupCommand: Command = {
  words,
  summary: 'Back up database and files to a folder or a bucket while the service runs.',
  notes: [
    'The command checks the copy before it ends. `inlet restore` restores it to an empty DATA_DIR.',
    'The secret is not included. Store a copy of it elsewhere: you cannot restore a backup without it.',
    'With --keep, --encrypt-to-key or s3://… PLACE holds many backups, each named after its time. An encrypted backup is one',
    'file, and a backup in a bucket is one object. Both need room for the whole copy in the temporary folder (TMPDIR).',
  ],
  options: {
    to: {
      value: 'PLACE',
      doc: 'A folder, which is created if needed and must be empty unless it holds many backups, or s3://bucket/prefix?endpoint=… (credentials from the usual AWS variables).',
    },
    keep: {
      value: 'N',
      doc: 'Keep the newest N backups in PLACE. Older ones are deleted once the new backup is complete.',
    },
    'encrypt-to-key': {
      value: 'FILE',
      doc: 'Encrypt the backup (AES-256-GCM) with the 32-byte key in FILE. To create one: openssl rand -hex 32',
    },
    'with-secret': { doc: 'Include the secret. Anyone with the backup can then read stored secrets.' },
    record: {
      doc: 'Back up nothing, but record that another tool, such as pgBackRest, has just made a backup.',
    },
  },
  async run({ args, env, terminal }) {
    const options = optionsOf(args);
    const config = requireConfig(env);
    if (options === 'record') return recordOnly(config, terminal);
    requireEmbedded(config);
    const withSecret = args.isOn('with-secret');
    const { backUp } = await import('../../transfer/backup.js');
    const { progress } = terminal;
    const made = await backUp({
      ...{ config, withSecret, ...options },
      onDatabase: (done, total) =>
        progress.show(`Copying the database: ${Math.floor((100 * done) / Math.max(1, total))} %`),
      onFile: ({ files, bytes }) => progress.show(`Copying files: ${files}, ${sizeText(bytes)}`),
      onPhase: (phase) => progress.show(phaseTexts[phase]),
    });
    progress.clear();
    report(made, options.keyFile, withSecret, terminal);
    return made.missing.length === 0 ? 0 : 1;
  },
};

const phaseTexts = { checking: 'Checking the copy', archive: 'Writing the archive' };

interface BackupOptions {
  readonly place: ShelfPlace;
  /** PLACE holds many backups; otherwise it becomes this one. */
  readonly isShelf: boolean;
  readonly keep: number | null;
  readonly keyFile: string | null;
}

function optionsOf(args: Arguments): BackupOptions | 'record' {
  const [to, keep, keyFile] = [args.text('to'), args.text('keep'), args.text('encrypt-to-key')];
  if (args.isOn('record')) {
    if (to === null && keep === null && keyFile === null) return 'record';
    throw new WrongUsage('--record backs nothing up: leave the other options out.', words);
  }
  if (to === null) throw new WrongUsage('--to is missing.', words);
  const place = shelfPlace('--to', to, words);
  const most = keep === null ? null : Number(keep);
  if (most !== null && !(Number.isSafeInteger(most) && most >= 1)) {
    throw new WrongUsage(`--keep "${keep}" is not a whole number from 1.`, words);
  }
  const isShelf = most !== null || keyFile !== null || place.kind === 's3';
  return { place, isShelf, keep: most, keyFile };
}

async function recordOnly(config: Config, terminal: Terminal): Promise<number> {
  return withFoundation(config, 'existing', async ({ store, clock }) => {
    const at = clock.now();
    await store.recordBackup(at);
    const text = new Date(at).toISOString();
    if (terminal.json) terminal.sayJson({ backed_up_at: text });
    else terminal.say(`Recorded: a backup was made at ${text}`);
    return 0;
  });
}

/** PostgreSQL and buckets are backed up with their own tools, which do not have to read everything through us. */
function requireEmbedded({ databaseUrl, storageUrl }: Config): void {
  const lines = [
    ...(databaseUrl === null
      ? []
      : ['DATABASE_URL is set: back PostgreSQL up with pg_dump or its archiving.']),
    ...(storageUrl === null
      ? []
      : ['STORAGE_URL is set: keep the bucket safe with versioning or replication.']),
  ];
  if (lines.length === 0) return;
  throw new CannotRun(
    ...lines,
    '`inlet backup` is for the data folder alone. With the service stopped, `inlet copy --from … --to FOLDER` makes one of all.',
  );
}

function report(made: BackupReport, keyFile: string | null, withSecret: boolean, terminal: Terminal): void {
  const { location, removed, missing } = made;
  const secretLocation = made.secretFile ?? 'INLET_SECRET';
  if (missing.length > 0) {
    terminal.note(
      `${countText(missing.length, 'stored file')} without bytes on this disk, and so without any in the backup. ` +
        `The first: ${missing[0]}. Check the disk, or fetch them from an older backup.`,
    );
  }
  if (!withSecret) {
    // To stderr: a scheduled backup usually discards stdout, and its operator must see this before the disk dies.
    terminal.note(
      `The secret is not included. Keep a copy of ${secretLocation} elsewhere: without it this backup cannot be restored.`,
    );
  }
  if (terminal.json) {
    terminal.sayJson({
      folder: location,
      encrypted: keyFile !== null,
      removed,
      database_bytes: made.databaseBytes,
      accounts: made.accounts,
      projects: made.projects,
      forms: made.forms,
      submissions: made.submissions,
      files: made.files,
      file_bytes: made.bytes,
      files_deleted_meanwhile: made.deletedMeanwhile,
      files_missing: missing,
      secret_included: withSecret,
      secret_location: secretLocation,
    });
    return;
  }
  terminal.say(
    `Backup   ${location}`,
    `Holds    ${contentsText(made)} (${sizeText(made.databaseBytes)}), ${countText(made.files, 'file')} (${sizeText(made.bytes)})`,
    ...(withSecret ? ['Secret   included: anyone who reads this folder can read the stored secrets'] : []),
    ...(removed.length > 0 ? [`Deleted  ${removed.join(', ')}`] : []),
    `Restore  inlet restore ${shellWord(location)}${keyFile === null ? '' : ` --key ${shellWord(keyFile)}`}`,
  );
}
