/** Sabotages of what moves an instance from one place to another. */
const restore = 'src/transfer/restore.ts';

export const moving = [
  {
    name: 'backup-misses-the-log',
    breaks: 'A backup under load contains everything acknowledged before it started',
    patches: [
      {
        file: 'src/adapters/sql/sqlite/sqlite-thread.ts',
        find: "  closeSync(openSync(path, 'wx', 0o600));\n",
        put: "  closeSync(openSync(path, 'wx', 0o600));\n  (await import('node:fs')).copyFileSync(options.path, path);\n  return;\n",
      },
    ],
    test: {
      file: 'test/cli/backup.test.ts',
      name: 'a backup under load holds everything that was acknowledged before it began, files included',
    },
    because: /AssertionError|No JSON line/,
  },
  {
    name: 'copy-without-hash-check',
    breaks: 'Damaged bytes are reported, and never copied as if intact',
    patches: [
      {
        file: 'src/domain/files/carrying.ts',
        find: "if (sizeBytes === blob.sizeBytes && hash.digest('hex') === blob.sha256) return;",
        put: 'if (sizeBytes === blob.sizeBytes) return;',
      },
    ],
    test: { file: 'test/cli/restore.test.ts', name: 'tells which files are missing or damaged' },
    because: /AssertionError/,
  },
  {
    name: 'restore-sends-pending',
    breaks: 'A restored backup sends nothing that may have been sent since',
    patches: [
      {
        file: restore,
        find: 'const pending = request.sendPending\n',
        put: 'const pending = request.sendPending || true\n',
      },
    ],
    test: {
      file: 'test/cli/restore.test.ts',
      name: 'sends nothing of what was pending, and says so to those who look',
    },
    because: /AssertionError/,
  },
  {
    name: 'half-a-restore-is-served',
    breaks: 'An interrupted restore leaves nothing that could be served by mistake',
    patches: [
      {
        file: restore,
        find: '      const filled = await fill(request, source.dataDir.path, secretFile, work);\n',
        put: "      await copyFile(join(source.dataDir.path, 'inlet.db'), join(dataDir.path, 'inlet.db'), () => {});\n      const filled = await fill(request, source.dataDir.path, secretFile, work);\n",
      },
    ],
    test: {
      file: 'test/cli/restore.test.ts',
      name: 'that was cut off leaves nothing that is served by mistake, and begins anew',
    },
    because: /AssertionError/,
  },
  {
    name: 'claim-ignores-the-epoch',
    breaks: 'A process sends nothing while the database has a different epoch',
    patches: [
      {
        file: 'src/adapters/sql/rows/epoch.ts',
        find: "), '0') = ?",
        put: "), '0') <> ? || 'x'",
      },
    ],
    test: {
      file: 'test/contracts/store/store-postgres.test.ts',
      services: true,
      name: 'of a store that has another one than the database keeps it from claiming',
    },
    because: /AssertionError/,
  },
  {
    name: 'new-epoch-holds-nothing',
    breaks: 'After the epoch is raised, nothing pending is sent',
    patches: [
      {
        file: 'src/adapters/sql/rows/epoch.ts',
        find: 'const held = await holdIn(engine, db, reason, at);',
        put: 'const held = { deliveries: 0, mails: 0, replays: 0, ...{ holdIn, reason, at } };',
      },
    ],
    test: {
      file: 'test/contracts/store/store-postgres.test.ts',
      services: true,
      name: 'that is raised holds what is pending once, and lets what comes afterwards go',
    },
    because: /AssertionError/,
  },
];
