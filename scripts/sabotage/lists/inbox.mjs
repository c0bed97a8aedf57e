/** Sabotages of what users do with submissions. */
const store = 'test/contracts/store/store-sqlite.test.ts';
const reading = 'src/adapters/sql/submission-filter.ts';

export const inbox = [
  {
    name: 'trash-deleted-early',
    breaks: 'A submission stays in the trash for 30 days',
    patches: [
      {
        file: 'src/model/inbox.ts',
        find: 'export const trashLifeMs = 30 * 24',
        put: 'export const trashLifeMs = 29 * 24',
      },
    ],
    test: {
      file: 'test/http/management/inbox-sending.test.ts',
      name: 'the trash is kept for 30 days, then deleted with its files',
    },
    because: /AssertionError/,
  },
  {
    name: 'restored-deleted-with-the-trash',
    breaks: 'What is taken out of the trash is not deleted',
    patches: [
      {
        file: 'src/adapters/sql/rows/inbox.ts',
        find: "trashed_at: folder === 'trash' ? now : null",
        put: 'trashed_at: now',
      },
    ],
    test: {
      file: store,
      name: 'the trash is emptied of what has been in it for long enough, with files, and of nothing else',
    },
    because: /AssertionError/,
  },
  {
    name: 'spam-and-trash-sent',
    breaks: 'Nothing is sent of a submission in spam or trash',
    patches: [
      {
        file: 'src/adapters/sql/rows/inbox.ts',
        find: '  await pauseOrResume(db, ids);\n',
        put: '',
      },
      {
        file: 'src/adapters/sql/rows/inbox.ts',
        find: "import { pauseOrResume } from './pausing.js';\n",
        put: '',
      },
    ],
    test: { file: store, name: 'deliveries of what is in spam or trash wait in trash, and go on as before' },
    because: /AssertionError/,
  },
  {
    name: 'failed-attempt-ends-the-pause',
    breaks: 'A delivery that was being sent when its submission went to the trash waits after that attempt',
    patches: [
      {
        file: 'src/adapters/sql/rows/pausing.ts',
        find: 'CASE WHEN queue >= 100 THEN 100 ELSE 0 END',
        put: '0',
      },
    ],
    test: {
      file: store,
      name: 'deliveries of what is in spam or trash wait after an attempt that was under way, too',
    },
    because: /AssertionError/,
  },
  {
    name: 'labels-of-other-accounts',
    breaks: 'A submission cannot get a label of another account',
    patches: [
      {
        file: 'src/adapters/sql/rows/inbox.ts',
        find: 'WHERE labels.account_id = ',
        put: 'WHERE labels.account_id || labels.id <> ',
      },
    ],
    test: { file: store, name: 'the inbox is found and changed by its own account only' },
    because: /AssertionError/,
  },
  {
    name: 'one-has-read-it-so-all-have',
    breaks: 'What one user has read is unread for the others',
    patches: [
      {
        file: reading,
        find: 'WHERE r.user_id = ? AND r.form_id = submissions.form_id AND r.submission_id = submissions.id),',
        put: "WHERE r.user_id <> ? || 'x' AND r.form_id = submissions.form_id AND r.submission_id = submissions.id),",
      },
    ],
    test: {
      file: store,
      name: 'what a user has read is all that came before they did, and what they read since',
    },
    because: /AssertionError/,
  },
];
