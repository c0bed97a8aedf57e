/** Workflows on GitHub run with few permissions, and with actions that cannot change afterwards. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Job {
  readonly uses?: string;
  readonly 'timeout-minutes'?: number;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps?: readonly Step[];
}
interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = fileURLToPath(new URL('../../.github/workflows/', import.meta.url));
const read = (name: string): string => readFileSync(`${folder}${name}`, 'utf8');

describe.each(readdirSync(folder))('%s', (name) => {
  const text = read(name);
  const workflow: Workflow = parse(text);
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps ?? []);

  it('names each action by its commit, with the version beside it', () => {
    const used = [...text.matchAll(/uses: (.+)/g)].map(([, what]) => what ?? '');
    expect(used.length).toBeGreaterThan(0);
    for (const what of used) {
      expect(what).toMatch(/^\.\/|^[\w.-]+\/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
  });

  it('may only read, unless a job needs more, and leaves no credentials behind', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const step of steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))) {
      expect(step.with).toMatchObject({ 'persist-credentials': false });
    }
  });

  it('puts nothing from outside into a script', () => {
    for (const { run } of steps) expect(run ?? '').not.toContain('${' + '{');
  });

  it('limits the time of each job', () => {
    for (const job of jobs.filter(({ uses }) => uses === undefined)) {
      expect(job['timeout-minutes']).toBeGreaterThan(0);
    }
  });
});

it('only the job that makes the release may write to the repository', () => {
  const { jobs }: Workflow = parse(read('release.yml'));
  const writers = Object.entries(jobs).filter(([, job]) => job.permissions?.contents === 'write');
  expect(writers.map(([name]) => name)).toEqual(['release']);
});
