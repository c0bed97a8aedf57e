/** Sabotages of the promises to people whose data was submitted. */
const erasure = 'test/http/persons/erasure.test.ts';
const nowhere = 'leaves the address in no file: rows, index, log, files, deliveries, notes, quarantine';
const walErasure = 'test/contracts/store/postgres-erasing.test.ts';
const withRights =
  'says what a user without rights leaves there, and which rights to give; with them, nothing is left';

export const persons = [
  {
    name: 'erasures-leave-the-log',
    breaks: 'After an erasure the address is in no file of the database',
    patches: [
      {
        file: 'src/adapters/sql/sqlite/traces.ts',
        find: "'PRAGMA wal_checkpoint(TRUNCATE)'",
        put: "'SELECT 0 AS busy'",
      },
    ],
    test: { file: erasure, name: nowhere },
    because: /AssertionError/,
  },
  {
    name: 'erasures-leave-the-write-ahead-log',
    breaks: 'After an erasure the address is in no file of PostgreSQL, its log included',
    patches: [
      {
        file: 'src/adapters/sql/postgres/traces.ts',
        find: "(await emptyWriteAheadLog(pool)) ?? 'removed'",
        put: "'removed'",
      },
    ],
    test: { file: walErasure, name: withRights },
    because: /AssertionError/,
  },
  {
    name: 'erasures-leave-recycled-segments',
    breaks: 'Segments of the log that PostgreSQL keeps for later are overwritten',
    patches: [
      {
        file: 'src/adapters/sql/postgres/write-ahead-log.ts',
        find: 'left > 0; left -= 1',
        put: 'left < 0; left -= 1',
      },
    ],
    test: { file: walErasure, name: withRights },
    because: /AssertionError/,
  },
  {
    name: 'erasures-forgotten-by-a-restore',
    breaks: 'A database that is restored from before an erasure erases again',
    patches: [
      {
        file: 'src/domain/persons/erasing.ts',
        find: 'await blobs.keepNote(erasure.id, JSON.stringify(tombstoneOf(erasure)));',
        put: 'await Promise.resolve();',
      },
    ],
    test: { file: 'test/crash/erasure.test.ts', name: 'erases again what a restored database brings back' },
    because: /Test timed out|AssertionError/,
  },
  {
    name: 'erasures-told-apart-from-their-end',
    breaks: 'An erasure finishes together with its notices to destinations',
    patches: [
      {
        file: 'src/adapters/sql/rows/erasures.ts',
        find: 'if (!(await progress(context, db, erasure, to))) return null;',
        put: 'await progress(context, db, erasure, to);',
      },
    ],
    test: {
      file: 'test/contracts/store/store-sqlite.test.ts',
      name: 'end with notices to the destinations that want them, once',
    },
    because: /AssertionError/,
  },
  {
    name: 'persons-looked-for-at-once',
    breaks: 'While a person is looked for in a text that was made to take long, others work',
    patches: [
      {
        file: 'src/domain/persons/finding.ts',
        find: 'if (steps % stepsAtOnce === 0 && pace.isOver()) await pace.rest();',
        put: '',
      },
    ],
    test: {
      file: 'src/domain/persons/finding.test.ts',
      name: 'others work while one row is looked through that takes long',
    },
    because: /AssertionError/,
  },
  {
    name: 'persons-of-other-accounts',
    breaks: 'A person is looked for in the own account only',
    patches: [
      {
        file: 'src/adapters/sql/rows/persons.ts',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
        find: 'AND ${place.isOf(accountId)} AND',
        put: 'AND',
      },
    ],
    test: {
      file: 'test/http/persons/export.test.ts',
      name: 'a search tells how many there are and shows the first hundred, of this account only',
    },
    because: /AssertionError/,
  },
  {
    name: 'erased-persons-not-told',
    breaks: 'Webhooks that asked for it are notified of erased persons',
    patches: [
      {
        file: 'src/domain/persons/erasing.ts',
        find: 'planNotices(erasure, ids, subscribers, clock.now())',
        put: 'planNotices(erasure, [], subscribers, clock.now())',
      },
    ],
    test: {
      file: 'test/http/persons/erasure.test.ts',
      name: 'tells the webhooks that asked for it which submissions are gone, and repeats it until it arrives',
    },
    because: /AssertionError|did not become|Test timed out/,
  },
  {
    name: 'erased-persons-told-to-all',
    breaks: 'Only webhooks that asked for it are notified of erased persons',
    patches: [
      {
        file: 'src/adapters/sql/rows/destinations.ts',
        find: 'destination.config.person_erased && ',
        put: '',
      },
    ],
    test: {
      file: 'test/http/persons/erasure.test.ts',
      name: 'tells the webhooks that asked for it which submissions are gone, and repeats it until it arrives',
    },
    because: /AssertionError|did not become|Test timed out/,
  },
  {
    name: 'erasures-skip-a-place',
    breaks: 'Every table that may hold a person is looked through',
    patches: [
      {
        file: 'src/model/erasure.ts',
        find: "  'views',\n",
        put: '',
      },
    ],
    test: {
      file: erasure,
      name: 'finds and erases them in every place that may hold somebody',
    },
    because: /AssertionError|timed out/,
  },
  {
    name: 'erasures-leave-images',
    breaks: 'Images that were made of the files of an erased person are deleted too',
    patches: [
      {
        file: 'src/adapters/sql/rows/erasures.ts',
        find: '[...files.map((file) => file.blobKey), ...variants]',
        put: '[...files.map((file) => file.blobKey), ...variants.slice(variants.length)]',
      },
    ],
    test: {
      file: erasure,
      name: 'removes the images that were made of theirs',
    },
    because: /AssertionError/,
  },
  {
    name: 'erasures-miss-late-submissions',
    breaks: 'An erasure finds what was submitted before it and stored a moment later',
    patches: [
      {
        file: 'src/domain/persons/erasing.ts',
        find: "return stage === 'rows' ? { stage: 'late', place: 'submissions', after: afterOf('late', createdAt) } : null;",
        put: 'return null;',
      },
    ],
    test: {
      file: 'test/persons/erasing.test.ts',
      name: 'erases what was submitted before it began, and stored when it had looked through the submissions',
    },
    because: /AssertionError/,
  },
];
