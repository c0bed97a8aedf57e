/** Sabotages of what only the operator may see, keep and install. */
const access = 'src/http/ops/access.ts';
const accessTest = 'test/deploy/ops-access.test.ts';
const countedTest = 'test/faults/counted.test.ts';

export const operating = [
  {
    name: 'metrics-open-to-visitors',
    breaks: 'Without OPS_TOKEN and OPS_PORT, a public instance serves no metrics',
    patches: [
      {
        file: access,
        find: "isLoopbackUrl(baseUrl) ? 'everything' : 'not_found'",
        put: "isLoopbackUrl(baseUrl) ? 'everything' : 'everything'",
      },
    ],
    test: {
      file: accessTest,
      name: 'a public instance shows outsiders only whether it is available, and tells the operator why',
    },
    because: /AssertionError/,
  },
  {
    name: 'readiness-names-failing-parts',
    breaks: '/readyz tells the public whether the service is available, not which part fails',
    patches: [
      {
        file: 'src/http/ops/routes.ts',
        find: '    if (!seesEverything(access, request)) return reply.send({ status });\n',
        put: '    if (!seesEverything(access, request) && isServing) return reply.send({ status });\n',
      },
    ],
    test: { file: accessTest, name: 'a public instance that fails does not say which part does' },
    because: /AssertionError/,
  },
  {
    name: 'any-ops-token-counts',
    breaks: 'Only OPS_TOKEN itself gives access to metrics and readiness details',
    patches: [
      { file: access, find: 'sameSecret(presented, token)', put: 'sameSecret(presented, presented)' },
    ],
    test: { file: accessTest, name: 'shows everything with the token, and nothing with anything else' },
    because: /AssertionError/,
  },
  {
    name: 'ops-port-beside-public-metrics',
    breaks: 'With OPS_PORT the public port serves no metrics',
    patches: [
      {
        file: access,
        find: "if (opsPort !== null) return { token: opsToken, withoutToken: 'not_found' };",
        put: 'if (opsPort === 0) throw new Error();',
      },
    ],
    test: { file: accessTest, name: 'shows everything there and nothing else, and nothing on PORT' },
    because: /AssertionError/,
  },
  {
    name: 'stopping-is-not-reported',
    breaks: 'A stopping process reports it on OPS_PORT while requests in flight finish',
    patches: [{ file: 'src/http/ops/readiness.ts', find: '      isStopping = true;\n', put: '' }],
    test: {
      file: accessTest,
      name: 'reports there that the process is stopping, while requests in flight finish',
    },
    because: /AssertionError|fetch failed|ECONNREFUSED/,
  },
  {
    name: 'backup-takes-the-secret-along',
    breaks: 'A backup includes the secret only on request',
    patches: [
      {
        file: 'src/cli/instance/backup.ts',
        find: "const withSecret = args.isOn('with-secret');",
        put: "const withSecret = args.isOn('with-secret') || config.secret === null;",
      },
    ],
    test: {
      file: 'test/cli/backup.test.ts',
      name: 'is left out, which is said, and a restore takes it from the new folder or from INLET_SECRET',
    },
    because: /AssertionError/,
  },
  {
    name: 'new-secret-over-sealed-data',
    breaks: 'No new secret is created for data encrypted with another one',
    patches: [
      {
        file: 'src/adapters/data-dir/data-dir.ts',
        find: '  if (options.mayMake) await putSecret(path, randomText(64));\n',
        put: '  await putSecret(path, randomText(64));\n',
      },
    ],
    test: { file: 'test/cli/secret.test.ts', name: 'a lost secret is not replaced by a new one' },
    because: /does not open what is stored/,
  },
  {
    name: 'audit-overlooks-high',
    breaks: 'CI fails on a vulnerability of level high in code that we ship',
    patches: [
      {
        file: 'scripts/audit.mjs',
        find: "const failing = ['high', 'critical'];",
        put: 'const failing = [];',
      },
    ],
    test: {
      file: 'test/supply-chain/audit.test.ts',
      name: 'fails on a vulnerability of level high in what production runs, and names it',
    },
    because: /AssertionError/,
  },
  {
    name: 'install-script-unlisted',
    breaks: 'Every install script of a dependency is listed',
    patches: [{ file: 'package.json', find: '"@photostructure/sqlite": true', put: '"esbuild": true' }],
    test: {
      file: 'test/supply-chain/packages.test.ts',
      name: 'allowScripts lists the packages with an install script',
    },
    because: /AssertionError/,
  },
  {
    name: 'outage-not-counted',
    breaks: 'Every response of the submission endpoint is counted, also while the database is down',
    patches: [
      {
        file: 'src/http/submit/pipeline.ts',
        find: '    if (refusal) {\n      refuseWith(passage, refusal);\n',
        put: '    if (refusal) {\n      answers.sendRefusal(request, response, headersFor(passage), refusal, null);\n',
      },
    ],
    test: { file: countedTest, name: 'while the database is down' },
    because: /AssertionError/,
  },
  {
    name: 'outage-unreadable',
    breaks: 'A page can read that the service is unavailable, and when to retry',
    patches: [
      {
        file: 'src/http/submit/handler.ts',
        find: '      addPreflightForUnknown(headers, asked, methods);\n',
        put: '      addPreflight(headers, asked, methods);\n',
      },
    ],
    test: { file: countedTest, name: 'while the database is down' },
    because: /AssertionError/,
  },
  {
    name: 'counters-end-with-their-process',
    breaks: 'Counters do not decrease when one of several processes ends',
    patches: [
      {
        file: 'src/cli/serve/cluster-leader.ts',
        find: '      ended = addUp(ended, latest.get(worker) ?? []);\n',
        put: '      ended = addUp(ended, []);\n',
      },
    ],
    test: {
      file: 'test/cluster/processes.test.ts',
      name: 'keeps what a process has counted when it ends, and says when one was started',
      services: true,
    },
    because: /AssertionError/,
  },
  {
    name: 'migration-holds-others-up',
    breaks: 'A migration gives way to transactions of the release before',
    patches: [
      {
        file: 'src/adapters/sql/postgres/postgres.ts',
        find: 'if (attempt === migrationAttempts || !isAboutLocks(error)) throw error;',
        put: 'throw error;',
      },
    ],
    test: {
      file: 'test/upgrade/migration-locks.test.ts',
      name: 'gives way to a transaction that waits for it',
      services: true,
    },
    because: /lock timeout/,
  },
];
