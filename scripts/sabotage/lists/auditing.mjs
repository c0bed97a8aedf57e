/** Sabotages of the audit log. */
const contract = 'test/contracts/store/store-sqlite.test.ts';
const http = 'test/http/management/audit.test.ts';

export const auditing = [
  {
    name: 'audit-entries-dropped',
    breaks: 'A change that is kept has an entry in the audit log',
    patches: [
      {
        file: 'src/adapters/sql/store.ts',
        find: 'entries: await appendAudit(db, context, pending)',
        put: 'entries: await appendAudit(db, context, pending.slice(1))',
      },
    ],
    test: {
      file: contract,
      name: 'has an entry of a change that is kept, and none of one that is rolled back',
    },
    because: /AssertionError/,
  },
  {
    name: 'audit-chain-signed-anew',
    breaks: 'An audit log that was cut off is still found broken after another entry was added',
    patches: [
      {
        file: 'src/adapters/sql/rows/audit.ts',
        find: 'const signed = isOurs(before, mac) ? macOf(before.account_id, after, mac) : before.mac;',
        put: 'const signed = macOf(before.account_id, after, mac);',
      },
    ],
    test: {
      file: contract,
      name: 'is seen to be broken by a last entry that was taken away without a trace, also after it went on',
    },
    because: /AssertionError/,
  },
  {
    name: 'audit-secrets-shown',
    breaks: 'The audit log has no secrets',
    patches: [
      {
        file: 'src/domain/audit/changes.ts',
        find: '  if (secret.test(field)) return masked;\n',
        put: '',
      },
    ],
    test: { file: http, name: 'says who, from where, and what changed, without secrets' },
    because: /AssertionError/,
  },
  {
    name: 'nothing-to-read-while-full',
    breaks: 'While the disk is full, reading goes on and its views are recorded later',
    patches: [
      {
        file: 'src/domain/audit/trail.ts',
        find: 'error instanceof StoreFull && owed.length',
        put: 'error === null && owed.length',
      },
    ],
    test: {
      file: 'test/contracts/store/store-sqlite.test.ts',
      name: 'has views that found no room once there is some, and reading goes on meanwhile',
    },
    because: /StoreFull|full/,
  },
];
