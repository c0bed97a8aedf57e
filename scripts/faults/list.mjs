/**
 * The faults of the report, each with the tests that do it. Those with `counts` count for themselves what they did and what
 * became of it (test/support/fault-counts.ts); of the others the report says how many cases there are.
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

/** Done to a service under load whose clients keep a ledger of what they were promised. */
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
    'SIGKILL twice during the very first start, then a start that takes over',
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
    'SIGKILL at a random moment while webhooks are delivered, one receiver steady, one failing at first',
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
    'One of two processes frozen past the patience of the other, then woken',
    ['test/cluster/faults.test.ts'],
    plain('test/cluster/faults.test.ts'),
    'one that is frozen',
  ),
  group(
    'postgres',
    'PostgreSQL restarted, killed, cut off, silent, half gone, read-only, demoted, locked, or out of connections',
    ['test/faults/postgres-away.test.ts'],
  ),
  group('redis', 'Redis absent, killed, emptied, or frozen', ['test/faults/redis-away.test.ts']),
  group(
    'simulation',
    'Made-up histories of the delivery engine: processes that die or freeze, a store that stalls, refuses or loses its answers, clocks that are set, receivers of all manners',
    ['test/simulation/dispatcher.test.ts'],
    'SIM_SEEDS=50000 npm test -- test/simulation/dispatcher.test.ts',
    'loses nothing, is never early',
  ),
];

/** Done one by one. */
export const casedFaults = [
  group(
    'sync-order',
    'The order of file, folder and log syncs before the answer, seen from inside and by strace',
    ['test/crash/sync-order.test.ts'],
  ),
  group(
    'full-disk',
    'A full disk: under the files, under the database, in and outside of transactions',
    ['src/adapters/blobs/disk.test.ts', 'test/contracts/store/store-sqlite.test.ts'],
    plain('src/adapters/blobs/disk.test.ts', 'test/contracts/store/store-sqlite.test.ts'),
    'a full disk',
  ),
  group('s3', 'An S3 bucket that is down, slow, silent, cut off, full, forbidden, or damages bytes', [
    'test/contracts/blobs-s3-faults.test.ts',
    'test/http/files/bucket.test.ts',
  ]),
  group('postgres-start', 'A start on a PostgreSQL that is not fit: absent, full, read-only, not syncing', [
    'test/faults/postgres-start.test.ts',
  ]),
  group('half-open', 'Connections to PostgreSQL and Redis that are only half there', [
    'test/contracts/signals-postgres.test.ts',
    'test/contracts/signals-redis.test.ts',
    'test/contracts/counters-redis-faults.test.ts',
  ]),
  group(
    'clock',
    'Clocks that are set forward or back, of the service and of the database',
    ['test/contracts/store/postgres-engine.test.ts', 'src/domain/processes/membership.test.ts'],
    plain('test/contracts/store/postgres-engine.test.ts', 'src/domain/processes/membership.test.ts'),
    'clock',
  ),
  group('receivers', 'Receivers that hang, drip, lie, redirect, flood, or lead inside', [
    'test/contracts/outbound-undici.test.ts',
    'test/http/webhooks/isolation.test.ts',
    'test/http/webhooks/outcomes.test.ts',
    'test/http/webhooks/inside-addresses.test.ts',
  ]),
  group('mail-server', 'Mail servers that are down, slow, refuse, hang, or drop the line', [
    'src/adapters/mailer/smtp.test.ts',
    'src/domain/mail/dispatcher.test.ts',
    'test/http/mail.test.ts',
  ]),
  group('requests', 'Hostile requests, bodies, file names and identities, slow clients', [
    'test/http/hostile',
  ]),
  group('pictures', 'Pictures that are bombs, lies or damaged; codecs that crash or hang', [
    'test/contracts/imaging-sharp.test.ts',
    'test/contracts/imaging-sharp-faults.test.ts',
    'test/http/files/transformation-faults.test.ts',
  ]),
  group(
    'moving',
    'A copy or restore that is killed; damaged, missing or foreign backups; a backup under load',
    ['test/cli/backup.test.ts', 'test/cli/copy.test.ts', 'test/cli/restore.test.ts'],
  ),
  group('upgrade', 'Migrations that fail, race, or meet a database of another version', [
    'test/upgrade/migrations.test.ts',
    'test/contracts/store/postgres-connections.test.ts',
  ]),
];
