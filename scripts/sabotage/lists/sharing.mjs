/** Sabotages of what several processes share. */
const pool = 'src/adapters/sql/postgres/pool.ts';
const postgres = 'src/adapters/sql/postgres/postgres.ts';
const upload = 'src/adapters/blobs/s3-upload.ts';
const calls = 'src/adapters/blobs/s3-calls.ts';
const engine = 'test/contracts/store/postgres-engine.test.ts';
const bucket = 'test/contracts/blobs-s3-faults.test.ts';

export const sharing = [
  {
    name: 'postgres-need-not-sync',
    breaks: 'A PostgreSQL that does not sync its commits is rejected',
    patches: [
      {
        file: pool,
        find: "if (row?.fsync !== 'on' || row.synchronous_commit === 'off') {",
        put: 'if (row === undefined) {',
      },
    ],
    test: {
      file: 'test/faults/postgres-start.test.ts',
      name: 'the service does not start on a server that does not sync what it commits',
    },
    because: /AssertionError|timed out/,
  },
  {
    name: 'postgres-commit-not-waited-for',
    breaks: 'Every commit in PostgreSQL waits for the sync, whatever the server settings',
    patches: [
      {
        file: pool,
        find: "set_config('synchronous_commit', 'on', false)",
        put: "set_config('synchronous_commit', 'off', false)",
      },
      { file: pool, find: " || row.synchronous_commit === 'off') {", put: ') {' },
    ],
    test: { file: engine, services: true, name: 'waits for the disk also where the database is set not to' },
    because: /AssertionError/,
  },
  {
    name: 'skip-locked-removed',
    breaks: 'No delivery is claimed by two processes',
    patches: [
      {
        file: postgres,
        find: 'ORDER BY next_attempt_at, id LIMIT ? FOR UPDATE SKIP LOCKED',
        put: 'ORDER BY next_attempt_at, id LIMIT ?',
      },
    ],
    test: { file: engine, services: true, name: 'never gives one row to two who claim at once' },
    because: /AssertionError/,
  },
  {
    name: 'migrations-without-lock',
    breaks: 'One process migrates, the others wait for it',
    patches: [
      {
        file: postgres,
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
        find: '    if (!isShared) await client.query(`SELECT pg_advisory_lock(${migrationLock})`);\n',
        put: '',
      },
      {
        file: postgres,
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
        find: ' SELECT pg_advisory_xact_lock(${migrationLock});',
        put: '',
      },
    ],
    test: {
      file: 'test/contracts/store/postgres-connections.test.ts',
      services: true,
      name: 'waits for the one that migrates',
    },
    because: /AssertionError/,
  },
  {
    name: 'silent-process-keeps-its-leases',
    breaks: 'Claims of a dead or frozen process are released within seconds',
    patches: [
      {
        file: 'src/domain/processes/membership.ts',
        find: 'deliveries: await tx.queue.recover(process.id, now)',
        put: 'deliveries: now * 0',
      },
    ],
    test: {
      file: 'src/domain/processes/membership.test.ts',
      name: 'free what a dead one had leased, once, in time',
    },
    because: /AssertionError/,
  },
  {
    name: 'two-leaders',
    breaks: 'There is one leader: it gives up before another can take over',
    patches: [
      {
        file: 'src/domain/processes/membership.ts',
        find: 'deps.now() - heardAt < silentMs - beatMs;',
        put: 'deps.now() - heardAt < silentMs * 2;',
      },
    ],
    test: {
      file: 'src/domain/processes/membership.test.ts',
      name: 'never have two leaders while one is frozen and thaws',
    },
    because: /AssertionError/,
  },
  {
    name: 'redis-gone-stops-submissions',
    breaks: 'No visitor notices that Redis is unavailable',
    patches: [
      {
        file: 'src/adapters/counters/redis.ts',
        find: '(): boolean => kept.current !== null && waiting < maxHitsWaiting;',
        put: "(): boolean => {\n    if (kept.current === null) throw new Error('Redis is away');\n    return true;\n  };",
      },
    ],
    test: {
      file: 'test/contracts/counters-redis-faults.test.ts',
      name: 'starts without Redis, counts by itself, says so once',
    },
    because: /Redis is away/,
  },
  {
    name: 'silent-redis-is-waited-for',
    breaks: 'Only one request waits for a Redis that hangs, not every visitor',
    patches: [
      {
        file: 'src/adapters/counters/redis.ts',
        find: 'deadlineMs = 150,',
        put: 'deadlineMs = 3_600_000,',
      },
    ],
    test: {
      file: 'test/contracts/counters-redis-faults.test.ts',
      name: 'notices a connection that is only half there with the first hit',
    },
    because: /AssertionError|timed out/,
  },
  {
    name: 'bucket-gets-no-checksum',
    breaks: 'Bytes damaged in transit are not stored',
    patches: [
      {
        file: calls,
        find: 'new PutObjectCommand({ Bucket, Key, Body: bytes, ContentLength: bytes.length, ContentMD5: md5 }),',
        put: 'new PutObjectCommand({ Bucket, Key, Body: bytes, ContentLength: bytes.length }),',
      },
      // The signature covers the bytes as well, so both must be removed.
      {
        file: calls,
        find: "return new S3Client({ ...config, endpoint, region: region ?? 'us-east-1', forcePathStyle: true });",
        put: `const unsigned = new S3Client({ ...config, endpoint, region: region ?? 'us-east-1', forcePathStyle: true });
  unsigned.middlewareStack.add(
    (next) => (args) => {
      (args.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD';
      return next(args);
    },
    { step: 'build' },
  );
  return unsigned;`,
      },
    ],
    test: {
      file: bucket,
      name: 'that gets damaged bytes takes no small blob',
    },
    because: /AssertionError|resolved/,
  },
  {
    name: 'upload-reported-before-complete',
    breaks: 'A multipart upload succeeds only after the bucket has assembled it',
    patches: [
      {
        file: upload,
        find: 'await complete(calls, object, id, sent, sizeBytes);',
        put: 'setTimeout(() => complete(calls, object, id, sent, sizeBytes).catch(() => {}), 500);',
      },
    ],
    test: { file: bucket, name: 'a bucket takes and gives back bytes in two parts' },
    because: /AssertionError/,
  },
  {
    name: 'cut-download-ends-well',
    breaks: 'An interrupted download fails and never looks complete',
    patches: [
      {
        file: 'src/adapters/blobs/s3-reading.ts',
        find: '    if (left === 0) stream.push(null);\n    else',
        put: '    if (left <= sizeBytes) stream.push(null);\n    else',
      },
      {
        file: 'src/adapters/blobs/s3-reading.ts',
        find: "body.on('error', (error) => stream.destroy(asBlobFault(error, 'GetObject')));",
        put: "body.on('error', () => stream.push(null));",
      },
    ],
    test: { file: bucket, name: 'that is cut off fails the stream, and never ends it early' },
    because: /AssertionError|resolved/,
  },
  {
    name: 'previews-hand-out-files',
    breaks: 'A preview has no link with which anybody can download a file',
    patches: [
      {
        file: 'src/compose/delivery.ts',
        find: 'const previewLinks = linksOf(parts, () => null);',
        put: 'const previewLinks = links;',
      },
    ],
    test: {
      file: 'test/http/mail-drafts.test.ts',
      name: 'links to files only for those who are signed in',
    },
    because: /AssertionError/,
  },
];
