/**
 * The faults of the report, each with the tests that cause it. The tests of counted faults record what they did and the
 * result (test/support/fault-counts.ts); for the others, the report has the number of cases.
 */
const crash = 'npm run kills -- --times 200';
const plain = (...files) => `npm test -- ${files.join(' ')}`;

const group = (id, title, files, command = plain(...files), names = '') => ({
  id,
  title,
  files,
  command,
  names,
});

/** Caused in a service under load, whose clients record which responses they got. */
export const countedFaults = [
  group(
    'sigkill',
    'SIGKILL at a random moment under load; every third time once more during the next start',
    ['test/crash/sigkill.test.ts'],
    crash,
    'SIGKILL under load (loses|ends)',
  ),
  group(
    'sigkill-first-start',
    'SIGKILL twice during the first start, then a start that takes over',
    ['test/crash/sigkill.test.ts'],
    crash,
    'in the first start',
  ),
  group(
    'sigkill-named',
    'SIGKILL just before or after the commit, the claim and the record of a delivery',
    ['test/crash/delivery.test.ts'],
    plain('test/crash/delivery.test.ts'),
    'dies at a named point',
  ),
  group(
    'sigkill-delivering',
    'SIGKILL at a random moment while webhooks are delivered, one endpoint stable, one failing at first',
    ['test/crash/delivery.test.ts'],
    crash,
    'while it delivers under load',
  ),
  group(
    'cluster-killed',
    'One of three processes on PostgreSQL killed every second',
    ['test/cluster/faults.test.ts'],
    plain('test/cluster/faults.test.ts'),
    'one of three is killed',
  ),
  group(
    'frozen',
    'One of two processes frozen until the other takes over, then resumed',
    ['test/cluster/faults.test.ts'],
    plain('test/cluster/faults.test.ts'),
    'one that is frozen',
  ),
  group(
    'postgres',
    'PostgreSQL restarted, killed, cut off, silent, half-open, read-only, demoted, locked, or out of connections',
    ['test/faults/postgres-away.test.ts'],
  ),
  group('redis', 'Redis absent, killed, emptied, or frozen', ['test/faults/redis-away.test.ts']),
  group(
    'simulation',
    'Random histories of the delivery engine: processes that die or freeze, a store that stalls, fails or loses its responses, clocks that are changed, endpoints of every kind',
    ['test/simulation/dispatcher.test.ts'],
    'SIM_SEEDS=50000 npm test -- test/simulation/dispatcher.test.ts',
    'loses nothing, is never early',
  ),
];

/** Caused one by one. */
export const casedFaults = [
  group(
    'sync-order',
    'The order of file, folder and log syncs before the response, seen from inside and by strace',
    ['test/crash/sync-order.test.ts'],
  ),
  group(
    'full-disk',
    'A full disk: for files and for the database, inside and outside of transactions',
    ['src/adapters/blobs/disk.test.ts', 'test/contracts/store/store-sqlite.test.ts'],
    plain('src/adapters/blobs/disk.test.ts', 'test/contracts/store/store-sqlite.test.ts'),
    'a full disk',
  ),
  group('s3', 'An S3 bucket that is down, slow, silent, cut off, full, forbidden, or damages bytes', [
    'test/contracts/blobs-s3-faults.test.ts',
    'test/http/files/bucket.test.ts',
  ]),
  group('postgres-start', 'A start with an unusable PostgreSQL: absent, full, read-only, not syncing', [
    'test/faults/postgres-start.test.ts',
  ]),
  group('half-open', 'Half-open connections to PostgreSQL and Redis', [
    'test/contracts/signals-postgres.test.ts',
    'test/contracts/signals-redis.test.ts',
    'test/contracts/counters-redis-faults.test.ts',
  ]),
  group(
    'clock',
    'Clocks of the service and of the database that are set forward or back',
    ['test/contracts/store/postgres-engine.test.ts', 'src/domain/processes/membership.test.ts'],
    plain('test/contracts/store/postgres-engine.test.ts', 'src/domain/processes/membership.test.ts'),
    'clock',
  ),
  group(
    'receivers',
    'Webhook endpoints that hang, drip, lie, redirect, flood, or resolve to internal addresses',
    [
      'test/contracts/outbound-undici.test.ts',
      'test/http/webhooks/isolation.test.ts',
      'test/http/webhooks/outcomes.test.ts',
      'test/http/webhooks/inside-addresses.test.ts',
    ],
  ),
  group('mail-server', 'Mail servers that are down, slow, reject, hang, or drop the connection', [
    'src/adapters/mailer/smtp.test.ts',
    'src/adapters/destinations/email/email.test.ts',
    'test/simulation/mails.test.ts',
    'test/http/mail.test.ts',
  ]),
  group('requests', 'Hostile requests, bodies, file names and identities, slow clients', [
    'test/http/hostile',
  ]),
  group('pictures', 'Images that are bombs, mislabelled or damaged; codecs that crash or hang', [
    'test/contracts/imaging-sharp.test.ts',
    'test/contracts/imaging-sharp-faults.test.ts',
    'test/http/files/transformation-faults.test.ts',
  ]),
  group(
    'moving',
    'A copy or restore that is killed; backups that are damaged, missing or from another instance; a backup under load',
    ['test/cli/backup.test.ts', 'test/cli/copy.test.ts', 'test/cli/restore.test.ts'],
  ),
  group('upgrade', 'Migrations that fail, run at the same time, or find a database of another version', [
    'test/upgrade/migrations.test.ts',
    'test/contracts/store/postgres-connections.test.ts',
  ]),
];
