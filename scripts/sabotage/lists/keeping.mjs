/** Sabotages of the path from the request to the disk. */
const lane = 'src/domain/submissions/commit-batcher.ts';
const disk = 'src/adapters/blobs/disk.ts';
const files = 'src/adapters/blobs/file-thread.ts';
const thread = 'src/adapters/sql/sqlite/sqlite-thread.ts';
const rows = 'src/adapters/sql/rows/submissions.ts';
const order = 'test/crash/sync-order.test.ts';
const store = 'test/contracts/store/store-sqlite.test.ts';
const withFile = 'seen by the hook syncs file, folder and log, in this order';
const withSmallFiles = 'seen by the hook does the same for small files';

export const keeping = [
  {
    name: 'answer-before-commit',
    breaks: 'A success response is sent only after the commit',
    patches: [
      {
        file: lane,
        find: 'forming.push({ entry, resolve, reject });',
        put: 'forming.push({ entry, resolve, reject });\n        resolve();',
      },
    ],
    test: { file: order, name: 'seen by the hook syncs the log before it responds to a JSON submission' },
    because: /ends after the answer began/,
  },
  {
    name: 'commit-a-moment-later',
    breaks: 'A kill at any moment loses no acknowledged submission',
    patches: [
      {
        file: lane,
        find: 'forming.push({ entry, resolve, reject });',
        put: 'forming.push({ entry, resolve, reject });\n        resolve();',
      },
      { file: lane, find: 'const enoughToLeave = 32;', put: 'const enoughToLeave = 100_000;' },
      { file: lane, find: 'setImmediate(flush);', put: 'setTimeout(flush, 250);' },
    ],
    test: {
      file: 'test/crash/sigkill.test.ts',
      name: 'SIGKILL under load loses nothing that was acknowledged',
      env: { CRASH_CYCLES: '2' },
    },
    // A lost submission with a file is first noticed by the file's bytes, which have no row.
    because: /was promised as \S+ and is lost|bytes without a row/,
  },
  {
    name: 'log-not-synced',
    breaks: 'A commit is on stable storage (synchronous = FULL)',
    patches: [{ file: thread, find: 'PRAGMA synchronous = FULL;', put: 'PRAGMA synchronous = NORMAL;' }],
    test: { file: order, name: 'seen by the hook syncs the log before it responds to a JSON submission' },
    because: /no sync of the log/,
  },
  {
    name: 'file-not-synced',
    breaks: 'An uploaded file is synced before it gets its name',
    patches: [
      {
        file: 'src/kernel/durable-files.ts',
        find: 'const result = await write(file);\n    await file.sync();',
        put: 'const result = await write(file);',
      },
    ],
    test: { file: order, name: withFile },
    because: /no sync of the staged file/,
  },
  {
    name: 'folder-not-synced',
    breaks: 'The folder of an uploaded file is synced before the commit',
    patches: [{ file: disk, find: '      await syncShared(folder);\n', put: '' }],
    test: { file: order, name: withFile },
    because: /no sync of the folder/,
  },
  {
    name: 'small-file-not-synced',
    breaks: 'A small file is synced before it gets its name, alone or in a batch',
    patches: [
      {
        file: files,
        find: '      if (isAlone) fsyncSync(file);\n      else await syncBeside(file);\n',
        put: '      if (isAlone) fsyncSync(file);\n',
      },
    ],
    test: { file: order, name: withSmallFiles },
    because: /no sync of the staged file/,
  },
  {
    name: 'small-folder-not-synced',
    breaks: 'The folder of a small file is synced before the commit, alone or in a batch',
    patches: [
      {
        file: files,
        find: '    if (isAlone) syncFolderNow(folder);\n    else await',
        put: '    if (!isAlone) await',
      },
    ],
    test: { file: order, name: withSmallFiles },
    because: /no sync of the folder/,
  },
  {
    name: 'file-after-answer',
    breaks: 'No row without its file: the file is in place before the commit',
    patches: [
      {
        file: disk,
        find: 'await rename(written, target);',
        put: 'setTimeout(rename, 300, written, target);',
      },
    ],
    test: { file: order, name: withFile },
    because: /no rename after|the rename ends after the answer began/,
  },
  {
    name: 'batch-not-atomic',
    breaks: 'A batch of submissions is written completely or not at all',
    patches: [
      { file: thread, find: "  db.exec('BEGIN IMMEDIATE');\n", put: '' },
      { file: thread, find: "  db.exec('COMMIT');\n", put: '' },
    ],
    test: { file: store, name: 'writes nothing of a batch when one idempotency key is taken' },
    because: /AssertionError/,
  },
  {
    name: 'idempotency-key-forgotten',
    breaks: 'A repeated request with the same key creates no second submission',
    patches: [
      {
        file: rows,
        find: "'idempotency' in entry && entry.idempotency ? [idempotency.values(entry.idempotency)] : [],",
        put: '[],',
      },
    ],
    test: {
      file: 'test/http/submit/idempotency.test.ts',
      name: 'the same key and body answer the first result, and store once',
    },
    because: /AssertionError/,
  },
  {
    name: 'webhook-not-in-the-commit',
    breaks: 'The webhook is queued in the transaction of its submission',
    patches: [
      {
        file: rows,
        find: 'rows: sending.flatMap((entry) => entry.deliveries.map(deliveries.values)),',
        put: 'rows: [],',
      },
    ],
    test: {
      file: 'test/crash/delivery.test.ts',
      name: 'after-submission: the visitor got no response, and the webhook goes out once',
    },
    because: /to have a length of 1 but got \+?0/,
  },
  {
    name: 'mail-not-in-the-commit',
    breaks: 'The notification is queued in the transaction of its submission',
    patches: [
      {
        file: rows,
        find: 'entry.deliveries.map(deliveries.values)',
        put: "entry.deliveries.filter(({ kind }) => kind !== 'email').map(deliveries.values)",
      },
    ],
    test: { file: store, name: 'deliveries are stored with their submission, mails too' },
    because: /AssertionError/,
  },
  {
    name: 'sweep-takes-uploads-in-flight',
    breaks: 'The orphan sweep ignores uploads of requests in flight',
    patches: [
      {
        file: 'src/model/orphans.ts',
        find: 'const orphanAgeMs = 60 * 60 * 1000;',
        put: 'const orphanAgeMs = 0;',
      },
    ],
    test: {
      file: 'src/domain/upkeep/service.test.ts',
      name: 'leaves bytes alone that may belong to a request in flight',
    },
    because: /AssertionError/,
  },
  {
    name: 'sweep-takes-any-number',
    breaks: 'No file is swept if suspiciously many have no row',
    patches: [
      {
        file: 'src/model/orphans.ts',
        find: 'orphans > Math.max(plausibleOrphans, plausibleShare * listed)',
        put: 'orphans > listed',
      },
    ],
    test: {
      file: 'src/domain/upkeep/service.test.ts',
      name: 'of 101 files, 101 without a row: refused true',
    },
    because: /AssertionError/,
  },
  {
    name: 'files-of-another-are-served',
    breaks: 'Inlet does not start with the files of another instance',
    patches: [
      {
        file: 'src/domain/files/binding.ts',
        find: 'if (owner !== identity) throw',
        put: "if (owner === '') throw",
      },
    ],
    test: {
      file: 'test/cli/binding.test.ts',
      name: 'files in a folder are not touched by an empty database: it does not start, and once they are adopted they stay',
    },
    because: /AssertionError/,
  },
  {
    name: 'full-disk-is-a-surprise',
    breaks: 'A full disk is reported as such, and partial writes are removed',
    patches: [
      {
        file: disk,
        find: "const full = hasCode(error, 'ENOSPC') || hasCode(error, 'EDQUOT');",
        put: 'const full = false;',
      },
    ],
    test: {
      file: 'src/adapters/blobs/disk.test.ts',
      name: 'knows the error that the system gives for a full disk',
    },
    because: /AssertionError/,
  },
  {
    name: 'two-servers-on-one-folder',
    breaks: 'Only one server per data folder',
    patches: [
      {
        file: 'src/adapters/data-dir/data-dir.ts',
        find: "lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');",
        put: "lock.exec('SELECT 1');",
      },
    ],
    test: {
      file: 'test/cli/serve.test.ts',
      name: 'one server for one data folder refuses a second one, and the first goes on',
    },
    because: /AssertionError|timed out/,
  },
];
