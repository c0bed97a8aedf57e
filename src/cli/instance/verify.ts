/** `inlet verify`: finds uploads whose files are missing, and files that no upload refers to. */
import {
  type Examples,
  type Verification,
  type VerifyPhase,
  verifyFiles,
} from '../../domain/files/verification.js';
import type { Command } from '../command.js';
import { requireConfig, withFoundation } from '../foundation.js';
import type { Terminal } from '../terminal.js';

const maxExamples = 20;

export const verifyCommand: Command = {
  words: ['verify'],
  summary: 'Compare the database with the stored files, and find missing files and orphans.',
  notes: [
    'Works while the service runs. Exits with code 1 if a file is missing.',
    'An orphan is a stored file without a row in the database. One that is younger than an hour may be an upload in progress: it is only counted.',
    'The service moves orphans to the trash and deletes them after 7 days, unless there are suspiciously many.',
  ],
  options: {
    restore: { doc: 'Move files that the database refers to back from the trash.' },
    'discard-orphans': { doc: 'Move all orphans to the trash, however many there are.' },
  },
  run({ args, env, terminal }) {
    return withFoundation(requireConfig(env), 'existing', async ({ store, blobs, clock }) => {
      const isDiscarding = args.isOn('discard-orphans');
      const found = await verifyFiles({
        ...{ store, blobs, clock, maxExamples },
        restore: args.isOn('restore'),
        discardOrphans: isDiscarding,
        onProgress: (phase, done) => terminal.progress.tell(progressText(phase, done)),
      });
      terminal.progress.clear();
      report(found, isDiscarding, terminal);
      return found.missing.count === 0 ? 0 : 1;
    });
  },
};

const phaseNames: Readonly<Record<VerifyPhase, string>> = {
  rows: 'Checking rows',
  files: 'Checking files',
  trash: 'Checking the trash',
};

const progressText = (phase: VerifyPhase, done: number): string =>
  `${phaseNames[phase]}: ${done.toLocaleString('en')}`;

function report(found: Verification, isDiscarding: boolean, terminal: Terminal): void {
  const { rows, files, missing, restored, orphans, youngWithoutRow, trash, trashNeeded } = found;
  if (terminal.json) {
    terminal.sayJson({
      rows,
      files,
      missing: missing.count,
      missing_examples: missing.examples,
      restored: restored.count,
      orphans: orphans.count,
      orphan_examples: orphans.examples,
      orphans_discarded: isDiscarding ? orphans.count : 0,
      young_without_row: youngWithoutRow,
      trash: trash.count,
      trash_examples: trash.examples,
      trash_needed: trashNeeded,
    });
    return;
  }
  terminal.say(
    `Rows     ${rows}, of which ${missing.count} have no file`,
    ...exampleLines(missing),
    ...(restored.count > 0 ? [`         ${restored.count} files were moved back from the trash`] : []),
    `Files    ${files} with image variants, of which ${orphans.count} have no row${isDiscarding && orphans.count > 0 ? '; moved to the trash' : ''}`,
    ...exampleLines(orphans),
    ...(youngWithoutRow > 0
      ? [`         ${youngWithoutRow} without a row are younger than an hour: not judged yet`]
      : []),
    `Trash    ${trash.count}${trashNeeded > 0 ? `, of which rows refer to ${trashNeeded}: inlet verify --restore` : ''}`,
  );
}

function exampleLines({ count, examples }: Examples): readonly string[] {
  const rest = count - examples.length;
  return [...examples.map((one) => `         ${one}`), ...(rest > 0 ? [`         and ${rest} more`] : [])];
}
