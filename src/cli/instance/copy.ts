/** `inlet copy`: copies an instance between a data folder and PostgreSQL with S3, in any combination. */
import type { CopyPhase, CopyReport } from '../../transfer/copy.js';
import { type InstancePlace, placeName } from '../../transfer/places.js';
import type { Command } from '../command.js';
import { requireConfig } from '../foundation.js';
import { barText, sizeText, type Terminal } from '../terminal.js';
import { countText, missingLines } from './contents.js';
import { instancePlace } from './places.js';

const words = ['copy'];

export const copyCommand: Command = {
  words,
  summary: 'Copy an instance between a data folder and PostgreSQL with S3, in any combination.',
  notes: [
    'A PLACE is a data folder such as ./data, or postgres://… for the database and s3://… for the files (credentials from the',
    'usual AWS variables). Stop the service first: a source in use is rejected. The source is not changed, and the target must be',
    'empty. At the end both are compared. If the command is interrupted, run it again: it continues where it stopped.',
    'A place that holds a password is better read from a file: --to @/etc/inlet/new-database-url.',
    'Stored secrets stay encrypted: use the same INLET_SECRET, or the secret file of the source, for both.',
  ],
  options: {
    from: { value: 'PLACE', required: true, doc: 'Data folder or database to copy from.' },
    'from-files': { value: 'PLACE', doc: 'Where its files are, if not in the --from folder.' },
    to: { value: 'PLACE', required: true, doc: 'Data folder or database to copy to.' },
    'to-files': { value: 'PLACE', doc: 'Where its files go, if not to the --to folder.' },
    'sizes-only': { doc: 'Compare copied files by size instead of reading them again.' },
  },
  async run({ args, env, terminal }) {
    const from = instancePlace('from', args, words);
    const to = instancePlace('to', args, words);
    const config = requireConfig(env);
    // Loaded here, so that the help does not wait for the databases.
    const { copyInstance } = await import('../../transfer/copy.js');
    const stopTelling = tellWhenInterrupted(terminal);
    try {
      const done = await copyInstance({
        from,
        to,
        setSecret: config.secret,
        sizesOnly: args.isOn('sizes-only'),
        onProgress: (phase, finished, total) => terminal.progress.tell(progressText(phase, finished, total)),
        onResumed: () => terminal.note('Going on where the copy was stopped.'),
      });
      terminal.progress.clear();
      report(from, to, done, terminal);
      return done.missing.length + done.damaged.length === 0 ? 0 : 1;
    } finally {
      stopTelling();
    }
  },
};

/** A page is committed completely or not at all, so the process may exit at once. */
function tellWhenInterrupted(terminal: Terminal): () => void {
  const onInterrupt = (): void => {
    terminal.progress.clear();
    terminal.note('Stopped. The same command goes on where it was.');
    process.exit(130);
  };
  process.once('SIGINT', onInterrupt);
  return () => void process.off('SIGINT', onInterrupt);
}

const phaseNames: Readonly<Record<CopyPhase, string>> = {
  rows: 'Copying rows  ',
  files: 'Copying files ',
  'checking rows': 'Checking rows ',
  'checking files': 'Checking files',
};

function progressText(phase: CopyPhase, done: number, total: number): string {
  const isBytes = phase === 'files' || phase === 'checking files';
  const amount = isBytes
    ? `${sizeText(done)} of ${sizeText(total)}`
    : `${done.toLocaleString('en')} of ${total.toLocaleString('en')}`;
  return barText(phaseNames[phase], total === 0 ? 1 : done / total, amount);
}

const rowsOf = ({ tables }: CopyReport, name: string): number =>
  tables.find(({ table }) => table === name)?.rows ?? 0;

function report(from: InstancePlace, to: InstancePlace, done: CopyReport, terminal: Terminal): void {
  const rows = done.tables.reduce((sum, table) => sum + table.rows, 0);
  terminal.note(
    ...missingLines(done.missing, 'have no bytes at the source, and so none in the copy'),
    ...missingLines(done.damaged, 'have other bytes at the source than were uploaded, and were not copied'),
  );
  if (terminal.json) {
    terminal.sayJson({
      from: { database: placeName(from.database), files: placeName(from.files) },
      to: { database: placeName(to.database), files: placeName(to.files) },
      resumed: done.isResumed,
      rows,
      tables: Object.fromEntries(done.tables.map(({ table, rows, digest }) => [table, { rows, digest }])),
      files: done.files,
      file_bytes: done.fileBytes,
      files_stay: done.filesStay,
      files_missing: done.missing,
      files_damaged: done.damaged,
      settings: settingsOf(to, done),
    });
    return;
  }
  const holds = ['account', 'project', 'form', 'submission'].map((noun) =>
    countText(rowsOf(done, `${noun}s`), noun),
  );
  const files = `${countText(done.files, 'file')} (${sizeText(done.fileBytes)})`;
  terminal.say(
    `Copied   ${placeName(from.database)} to ${placeName(to.database)}`,
    `Holds    ${holds.join(', ')}; ${rows} rows in all, equal at both ends`,
    `Files    ${files}, ${done.filesStay ? 'left' : 'checked'} at ${placeName(to.files)}`,
    ...Object.entries(settingsOf(to, done)).map(
      ([name, value], index) => `${index === 0 ? 'Serve it with' : '             '}  ${name}  ${value}`,
    ),
    'Do not serve the source any more: what is pending would be sent twice.',
  );
}

/** The settings that the next start needs. Secrets and passwords are named, never shown. */
function settingsOf(to: InstancePlace, { secretFile }: CopyReport): Record<string, string> {
  const folder = [to.database, to.files].find((place) => place.kind === 'folder');
  const hasSecretFile = to.database.kind === 'folder' && secretFile !== null;
  return {
    ...(folder ? { DATA_DIR: placeName(folder) } : {}),
    ...(to.database.kind === 'postgres' ? { DATABASE_URL: placeName(to.database) } : {}),
    ...(to.files.kind === 's3' ? { STORAGE_URL: placeName(to.files) } : {}),
    ...(hasSecretFile
      ? {}
      : { INLET_SECRET: secretFile === null ? 'the same as now' : `what is in ${secretFile}` }),
  };
}
