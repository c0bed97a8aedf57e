/** The tiers: every test file runs in one of them, and the tools that a file needs are known. */
import { expect, it } from 'vitest';
import { nodeProject, nodeVersions, planOf } from '../scripts/test-plan.mjs';

const filesOf = (tier: 'fast' | 'slow' | 'all'): string[] => {
  const { embedded = [], images = [], units = [] } = planOf(tier).projects;
  return [...embedded, ...images, ...units].sort();
};

it('every file is in one tier, and in one only', () => {
  expect([...filesOf('fast'), ...filesOf('slow')].sort()).toEqual(filesOf('all'));
});

it('knows the tools of a file by what it imports', () => {
  const namesIn = (tier: 'fast' | 'slow'): string[] => planOf(tier).tools.map(({ name }) => name);
  expect(namesIn('fast')).toEqual(
    expect.arrayContaining(['Chromium', 'PostgreSQL', 'Redis', 'the Ceph gateway']),
  );
  expect(namesIn('slow')).toEqual(
    expect.arrayContaining(['strace', 'PgBouncer', 'nginx, Caddy and HAProxy', 'Python']),
  );
});

it('runs on PostgreSQL all that the two tiers run there, and more', () => {
  const whole = planOf('postgres').projects;
  expect(Object.keys(whole)).toEqual(['postgres']);
  const inTiers = (['fast', 'slow'] as const).map((tier) => planOf(tier).projects.postgres ?? []);
  for (const files of inTiers) expect(files.length).toBeGreaterThan(0);
  expect(whole.postgres).toEqual(expect.arrayContaining(inTiers.flat()));
  expect(whole.postgres?.length).toBeGreaterThan(inTiers.flat().length);
  expect(whole.postgres).toEqual(planOf('all').projects.postgres);
});

it('runs all fast HTTP tests on each version of Node, and those of the slow tier are among them', () => {
  const fastHttp = planOf('fast').projects.embedded?.filter((file) => file.startsWith('test/http/'));
  const { projects } = planOf('slow');
  for (const version of nodeVersions) {
    const name = nodeProject(version);
    const whole = planOf(name).projects;
    expect(whole).toEqual({ [name]: fastHttp });
    expect(projects[name]?.length).toBeGreaterThan(0);
    expect(whole[name]).toEqual(expect.arrayContaining(projects[name] ?? []));
  }
});
