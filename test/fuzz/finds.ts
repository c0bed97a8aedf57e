/** Turns a find into a file that repeats it. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toFixture } from './case.js';
import { type Find, type Play, ruleOf, type Subject, tryAlone } from './engine.js';
import { shrink } from './shrink.js';

export interface WrittenFind extends Find {
  readonly path: string;
}

/** While shrinking, a case that now fails in another way is not worth waiting for. */
const hasty = { deadlineMs: 3_000, settleMs: 1_000 };

/** Without the details of this case: a 413 is not a 400, but the data differs as the case gets smaller. */
const kindOf = (fault: string): string => fault.replace(/[{["].*$/s, '').slice(0, 60);

/** Shrinks the find if it repeats, and writes it to a temporary folder, to be reviewed before it is added. */
export async function writeFind(subject: Subject, play: Play, find: Find): Promise<WrittenFind> {
  const rule = ruleOf(find.fault);
  const stillFails = async (smaller: Find['fuzzCase']): Promise<boolean> =>
    subject.isAlive() && kindOf((await tryAlone(subject, play, smaller, hasty)) ?? '') === kindOf(find.fault);
  const isSmall = rule === 'hang' || rule === 'growth' || !(await stillFails(find.fuzzCase));
  const fuzzCase = isSmall ? find.fuzzCase : await shrink(find.fuzzCase, stillFails);
  const folder = await mkdtemp(join(tmpdir(), 'inlet-fuzz-'));
  const path = join(folder, `${rule.replace(/\W+/g, '-')}.json`);
  await writeFile(path, toFixture(find.target, find.fault.slice(0, 300), fuzzCase, subject.values));
  return { ...find, fuzzCase, path };
}

export const tellFind = ({ target, fault, path }: WrittenFind): string =>
  `${target}: ${fault}\n  the case: ${path}\n  to keep it: mv ${path} test/fuzz/fixtures/${target}/<what-it-was>.json`;
