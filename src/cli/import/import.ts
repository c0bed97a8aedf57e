/** `inlet import`: imports submissions from the export of another service. */

import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import type { Foundation } from '../../compose/foundation.js';
import type { Config } from '../../config/options.js';
import { importSources } from '../../contract/import.js';
import type { DateOrder } from '../../domain/import/dates.js';
import type { FileFetcher } from '../../domain/import/fetch-files.js';
import type { Format } from '../../domain/import/read-rows.js';
import type { ImportReport, RejectedRow } from '../../domain/import/service.js';
import type { Account } from '../../model/account.js';
import { commandLine } from '../../model/audit.js';
import type { Form } from '../../model/form.js';
import { plans } from '../../model/plans.js';
import { wholeAccount } from '../../model/reach.js';
import { type Arguments, CannotRun, type Command, WrongUsage } from '../command.js';
import { requireConfig, withFoundation } from '../foundation.js';
import { printable, shellWord, type Terminal } from '../terminal.js';
import { readVersion } from '../version.js';

const words = ['import'];
const maxShown = 20;
const readBytes = 256 * 1024;

export const importCommand: Command = {
  words,
  summary: 'Import submissions from the export of another service, or from any CSV or JSON file.',
  notes: [
    'Works while the service runs. Nothing is delivered, mailed or counted as new. A second run adds nothing.',
    'Exits with code 1 if rows were rejected. The other rows are imported.',
  ],
  argument: { name: 'FILE', required: true, doc: 'CSV, a JSON array of objects, or JSON lines. UTF-8.' },
  options: {
    form: { value: 'ID', required: true, doc: 'Form that gets the submissions: its id or public id.' },
    from: {
      value: 'SERVICE',
      choices: [...importSources, 'csv', 'json'],
      doc: 'Service that made the file. Default: detected from the column names.',
    },
    map: {
      value: 'COLUMN=NAME',
      isRepeatable: true,
      doc: 'Store a column as the field NAME, or use it as @date, @id, @ip, @user_agent, @referrer, @spam, @file, @field or @skip.',
    },
    date: { value: 'COLUMN', doc: 'Column with the date of the submission.' },
    'date-order': { value: 'ORDER', choices: ['dmy', 'mdy'], doc: 'Meaning of dates such as 03/04/2024.' },
    'default-date': { value: 'DATE', doc: 'Date of rows that have none.' },
    skip: { value: 'COLUMN', isRepeatable: true, doc: 'Leave a column out.' },
    files: { doc: 'Download the files that file columns link to, and store them.' },
    'include-spam': { doc: 'Also import rows that the service marked as spam.' },
    'dry-run': { doc: 'Check the whole file and report, but store nothing.' },
    rejects: { value: 'FILE', doc: 'Write rejected rows to this CSV file, with line and reason.' },
  },
  async run({ args, env, terminal }) {
    const mapping = mappingOf(args);
    const config = requireConfig(env);
    const path = args.argument ?? '';
    const [{ composeImports }, { ImportRejected }, { checkedUtf8 }] = await Promise.all([
      import('../../compose/import.js'),
      import('../../domain/import/rejected.js'),
      import('../../domain/import/utf8-stream.js'),
    ]);
    return withFoundation(config, 'existing', async (foundation) => {
      const { form, account } = await requireForm(foundation, args.required('form'));
      const files = args.isOn('files') ? await fetcherFor(config, account) : null;
      const rejects = await openRejects(args.text('rejects'));
      const isDryRun = args.isOn('dry-run');
      try {
        // Check the whole file before the first row is stored: an unreadable end would leave half an import.
        for await (const _ of checkedUtf8(createReadStream(path, { highWaterMark: readBytes })));
        const report = await composeImports(foundation).run({
          ...{ who: { accountId: account.id, actor: commandLine }, form, mapping, isDryRun, files },
          source: createReadStream(path, { highWaterMark: readBytes }),
          format: formatOf(args),
          from: importSources.find((name) => name === args.text('from')) ?? null,
          order: orderOf(args),
          defaultDate: args.text('default-date'),
          includesSpam: args.isOn('include-spam'),
          onProgress: (soFar) => terminal.progress.tell(progressText(soFar)),
          onRejected: rejects.add,
        });
        terminal.progress.clear();
        say(report, { isDryRun, form, rejectsPath: rejects.path() }, terminal);
        return report.rejected === 0 ? 0 : 1;
      } catch (error) {
        if (error instanceof ImportRejected) throw new CannotRun(error.message);
        throw error;
      } finally {
        rejects.close();
      }
    });
  },
};

function mappingOf(args: Arguments): ReadonlyMap<string, string> {
  const mapping = new Map<string, string>();
  for (const text of args.all('map')) {
    const at = text.lastIndexOf('=');
    if (at < 1 || at === text.length - 1) throw new WrongUsage(`--map "${text}" is not COLUMN=NAME.`, words);
    mapping.set(text.slice(0, at), text.slice(at + 1));
  }
  const date = args.text('date');
  if (date !== null) mapping.set(date, '@date');
  for (const column of args.all('skip')) mapping.set(column, '@skip');
  return mapping;
}

const formatOf = (args: Arguments): Format => {
  const from = args.text('from');
  return from === 'csv' || from === 'json' ? from : 'detect';
};

const orderOf = (args: Arguments): DateOrder | null => {
  const order = args.text('date-order');
  return order === 'dmy' || order === 'mdy' ? order : null;
};

async function requireForm(
  { store, accounts }: Foundation,
  id: string,
): Promise<{ form: Form; account: Account }> {
  for (const account of await accounts.list()) {
    const found = await store.forms.find(wholeAccount(account.id), id);
    if (found) return { form: found.form, account };
  }
  throw new CannotRun(`There is no form ${id}. The dashboard shows the id of each form in its address.`);
}

async function fetcherFor(config: Config, { plan }: Account): Promise<FileFetcher> {
  if (!plans[plan].fileUploads) {
    throw new CannotRun(`The plan ${plan} has no file uploads: import without --files.`);
  }
  const [{ addressPolicyOf, composeFileFetcher }, { composeOwnEndpoints }] = await Promise.all([
    import('../../compose/import.js'),
    import('../../compose/own-endpoints.js'),
  ]);
  const own = composeOwnEndpoints(config);
  return composeFileFetcher(config, addressPolicyOf(config, own), own, await readVersion());
}

/** The file is created with the first row, so without rejects there is none. Only this user can read it: it contains submissions. */
async function openRejects(path: string | null) {
  const { rejectsHeader, rejectsLine } = await import('../../domain/import/rejects.js');
  let file: number | null = null;
  return {
    add(row: RejectedRow, columns: readonly string[] | null): void {
      if (path === null) return;
      if (file === null) {
        file = openSync(path, 'w', 0o600);
        writeSync(file, rejectsHeader(columns));
      }
      writeSync(file, rejectsLine(row));
    },
    path: (): string | null => (file === null ? null : path),
    close(): void {
      if (file !== null) closeSync(file);
    },
  };
}

const number = (value: number): string => value.toLocaleString('en');

const progressText = ({ rows, imported, alreadyThere, rejected, filesStored }: ImportReport): string =>
  `Rows: ${number(rows)}, imported ${number(imported)}, already there ${number(alreadyThere)}, rejected ${number(rejected)}` +
  (filesStored > 0 ? `, files ${number(filesStored)}` : '');

interface Context {
  readonly isDryRun: boolean;
  readonly form: Form;
  /** null when none was written. */
  readonly rejectsPath: string | null;
}

function say(report: ImportReport, { isDryRun, form, rejectsPath }: Context, terminal: Terminal): void {
  if (terminal.json) {
    terminal.sayJson({
      form_id: form.id,
      dry_run: isDryRun,
      rows: report.rows,
      imported: report.imported,
      already_there: report.alreadyThere,
      rejected: report.rejected,
      spam: report.spam,
      expiring: report.expiring,
      files_stored: report.filesStored,
      files_failed: report.filesFailed,
      columns: report.columns,
      errors: report.errors,
      file_errors: report.fileErrors,
      rejects_file: rejectsPath,
    });
    return;
  }
  const { rows, imported, alreadyThere, rejected, spam, expiring, filesStored, filesFailed } = report;
  terminal.say(
    `Rows      ${number(rows)}${isDryRun ? ' (dry run: nothing was stored)' : ''}`,
    `Imported  ${number(imported)}${isDryRun ? ' would be' : ''}`,
    `There     ${number(alreadyThere)} already`,
    ...(spam > 0 ? [`Spam      ${number(spam)} left out; --include-spam imports them`] : []),
    ...(filesStored + filesFailed > 0
      ? [`Files     ${number(filesStored)} stored, ${number(filesFailed)} not; their links stay in the data`]
      : []),
    `Rejected  ${number(rejected)}`,
    ...shown(report.errors, rejected),
    ...columnLines(report, isDryRun),
  );
  terminal.note(
    ...(filesFailed > 0
      ? ['Files that could not be downloaded:', ...shown(report.fileErrors, filesFailed)]
      : []),
    ...(expiring > 0
      ? [
          `${number(expiring)} of them are older than the ${form.retentionDays} days that this form keeps submissions: the service deletes them soon. Change retention_days first.`,
        ]
      : []),
    ...(rejectsPath === null ? [] : [`All rejected rows: ${shellWord(rejectsPath)}`]),
  );
}

const shown = (errors: ImportReport['errors'], count: number): readonly string[] => [
  ...errors.slice(0, maxShown).map(({ line, reason }) => `          line ${line}: ${printable(reason)}`),
  ...(count > maxShown ? [`          and ${number(count - maxShown)} more`] : []),
];

const columnLines = ({ columns }: ImportReport, isDryRun: boolean): readonly string[] =>
  isDryRun
    ? [
        'Columns',
        ...columns.map(
          ({ name, meaning, field }) =>
            `          ${printable(name)} → ${meaning === 'field' || meaning === 'file' ? `${meaning} ${printable(field)}` : `@${meaning}`}`,
        ),
      ]
    : [];
