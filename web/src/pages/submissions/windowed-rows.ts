/** Renders the rows of a long table that are near the viewport. Two blanks stand in for the height of all others. */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';

/** Until the first row is measured. */
const guessedHeight = 40;
/** Extra rows beyond either edge, so that scrolling by one wheel step needs no new rows. */
const spare = 12;
/** Ranges start and end at multiples of this. A row renders in about 10 ms: in steps of 8, a key revealing rows took 70 to 100 ms. */
const step = 2;
const firstRange = { first: 0, last: 40 };

export interface WindowedRows {
  readonly body: RefObject<HTMLTableSectionElement | null>;
  /** `first` is inclusive, `last` exclusive. */
  readonly first: number;
  readonly last: number;
  /** Pixels above and below the rendered rows. */
  readonly above: number;
  readonly below: number;
  /** Scrolls the row into view. It is rendered when this returns. */
  readonly reveal: (index: number) => void;
}

export function useWindowedRows(count: number): WindowedRows {
  const body = useRef<HTMLTableSectionElement>(null);
  const [height, setHeight] = useState(guessedHeight);
  const [range, setRange] = useState(firstRange);
  const look = useCallback(() => {
    if (body.current === null) return;
    const drawn = body.current.querySelector('[data-row]')?.getBoundingClientRect().height ?? height;
    setHeight(drawn);
    const { top } = body.current.getBoundingClientRect();
    const first = Math.max(0, Math.floor((-top / drawn - spare) / step) * step);
    const last = Math.max(step, Math.ceil(((window.innerHeight - top) / drawn + spare) / step) * step);
    setRange((now) => (now.first === first && now.last === last ? now : { first, last }));
  }, [height]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: more rows may be in sight than before
  useLayoutEffect(look, [look, count]);
  useEffect(() => {
    window.addEventListener('scroll', look, { passive: true });
    window.addEventListener('resize', look);
    return () => {
      window.removeEventListener('scroll', look);
      window.removeEventListener('resize', look);
    };
  }, [look]);
  const last = Math.min(range.last, count);
  const first = Math.min(range.first, last);
  const reveal = (index: number) => {
    if (body.current === null) return;
    const top = body.current.getBoundingClientRect().top + index * height;
    const style = getComputedStyle(document.documentElement);
    const upper = (Number.parseFloat(style.scrollPaddingTop) || 0) + height;
    const lower = window.innerHeight - (Number.parseFloat(style.scrollPaddingBottom) || 0) - height;
    const distance = top < upper ? top - upper : top > lower ? top - lower : 0;
    if (distance === 0) return;
    window.scrollBy(0, distance);
    // The next row is already rendered. Rows beyond it follow after the frame that shows the key's effect.
    if (index < first || index >= last) flushSync(look);
  };
  return { body, first, last, above: first * height, below: (count - last) * height, reveal };
}
