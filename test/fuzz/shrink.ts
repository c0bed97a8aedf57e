/** Shrinks a case while it fails in the same way: delta debugging on the headers, the body and the path. */
import type { FuzzCase } from './case.js';

export type StillFails = (smaller: FuzzCase) => Promise<boolean>;

export interface ShrinkBounds {
  readonly tries: number;
  readonly until: number;
}

export async function shrink(
  failing: FuzzCase,
  stillFails: StillFails,
  bounds: ShrinkBounds = { tries: 400, until: Date.now() + 30_000 },
): Promise<FuzzCase> {
  let left = bounds.tries;
  const mayTry = (): boolean => left > 0 && Date.now() < bounds.until;
  const fails: StillFails = async (smaller) => {
    left -= 1;
    return mayTry() && (await stillFails(smaller));
  };
  let best = failing;
  const keep = async (smaller: FuzzCase): Promise<void> => {
    if (best !== smaller && (await fails(smaller))) best = smaller;
  };
  if (best.pieces > 1) await keep({ ...best, pieces: 1 });
  if (best.framing === 'chunked') await keep({ ...best, framing: 'length' });
  const headers = await fewest(best.headers, (some) => fails({ ...best, headers: some }), mayTry);
  best = { ...best, headers };
  // `meant` describes the whole body: a smaller one would mean something else.
  if (best.meant === undefined) {
    const body = await fewest([...best.body], (some) => fails({ ...best, body: Buffer.from(some) }), mayTry);
    best = { ...best, body: Buffer.from(body) };
  }
  const path = await fewest([...best.path], (some) => fails({ ...best, path: some.join('') }), mayTry);
  return { ...best, path: path.join('') };
}

/** ddmin: drops halves, quarters, … down to single items, as long as the rest still fails. */
async function fewest<T>(
  items: readonly T[],
  fails: (some: readonly T[]) => Promise<boolean>,
  mayTry: () => boolean,
): Promise<readonly T[]> {
  let rest = items;
  let parts = 2;
  while (rest.length > 0 && mayTry()) {
    const size = Math.ceil(rest.length / parts);
    let isSmaller = false;
    for (let at = 0; at < rest.length && mayTry(); ) {
      const without = [...rest.slice(0, at), ...rest.slice(at + size)];
      if (await fails(without)) {
        rest = without;
        isSmaller = true;
      } else {
        at += size;
      }
    }
    if (size === 1 && !isSmaller) return rest;
    parts = isSmaller ? Math.max(2, parts - 1) : Math.min(rest.length, parts * 2);
  }
  return rest;
}
