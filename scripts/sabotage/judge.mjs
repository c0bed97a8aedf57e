/** Judges whether a broken program was noticed, by the test for it, for the right reason. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildBroken } from './broken-tree.mjs';
import { escaped, listTests, runTests } from './run-tests.mjs';

/** Starting them takes longer than most of these tests. A test that used these addresses would fail. */
const noServices = {
  TEST_DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
  TEST_REDIS_URL: 'redis://127.0.0.1:9',
};

const isOf = ({ test }, { file, name }) => file === test.file && name.includes(test.name);

const filesOf = (wanted) => [...new Set(wanted.map(({ test }) => test.file))];
const noTestOf = ({ name, test }) => `${name}: no test in ${test.file} is named "${test.name}"`;

/** Returns a complaint for each sabotage whose test is gone: somebody may have renamed it. */
export async function lostTests(root, wanted) {
  const tests = await listTests(root, filesOf(wanted));
  return wanted.filter((sabotage) => !tests.some((test) => isOf(sabotage, test))).map(noTestOf);
}

/**
 * Runs the tests of these sabotages on the unbroken program. All of them must pass, or what follows proves nothing. Returns
 * the complaints.
 */
export async function testUnbroken(root, wanted) {
  const names = [...new Set(wanted.map(({ test }) => escaped(test.name)))];
  // Sabotages that share a long test shorten it with the same settings.
  const env = Object.assign({}, ...wanted.map(({ test }) => test.env ?? {}));
  const results = await runTests(root, filesOf(wanted), names.join('|'), env);
  return wanted.flatMap((sabotage) => {
    const own = results.filter((result) => isOf(sabotage, result));
    if (own.length === 0) return [noTestOf(sabotage)];
    return own.filter(({ passed }) => !passed).map(({ name, said }) => `${sabotage.name}: ${name}\n${said}`);
  });
}

/**
 * `noticed`: the test failed with the expected message. `missed`: it passed. `other reason`: it failed with another message.
 * `no such test`: there is none with that name.
 */
export async function judge(root, sabotage) {
  const folder = mkdtempSync(join(tmpdir(), `inlet-broken-${sabotage.name}-`));
  const clear = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', clear);
  const begunAt = performance.now();
  try {
    const { file, name, env, services = false } = sabotage.test;
    buildBroken(root, sabotage.name, folder, { hasOurBuild: file.startsWith('src/') });
    const results = await runTests(folder, [file], escaped(name), {
      ...(services ? {} : noServices),
      ...env,
    });
    const failed = results.filter(({ passed }) => !passed);
    const right = failed.find((one) => isOf(sabotage, one) && sabotage.because.test(one.said));
    const isThere = results.some((one) => isOf(sabotage, one));
    const verdict = right
      ? 'noticed'
      : failed.length > 0
        ? 'other reason'
        : isThere
          ? 'missed'
          : 'no such test';
    return {
      verdict,
      said: (right ?? failed[0])?.said ?? '',
      seconds: (performance.now() - begunAt) / 1000,
    };
  } finally {
    process.off('exit', clear);
    clear();
  }
}
