/** Draws those rows of a long table that are near the window; all others are two blanks of their height. */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';

/** Before the first row was measured. */
const guessedHeight = 40;
/** Rows beyond either edge: what a turn of the wheel brings is there already. */
const spare = 12;
/** Ranges begin and end at multiples of it. A row takes about 10 ms to make: with 8 of them, a key that led to new rows took 70 to 100 ms. */
const step = 2;
const firstRange = { first: 0, last: 40 };

export interface WindowedRows {
  readonly body: RefObject<HTMLTableSectionElement | null>;
  /** From the first to before the last. */
  readonly first: number;
  readonly last: number;
  /** Pixels above and below the rows that are drawn. */
  readonly above: number;
  readonly below: number;
  /** Scrolls until the row is in sight, and has drawn it when it returns. */
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
    // The next row is drawn already: those behind it come after the frame that shows the key's effect.
    if (index < first || index >= last) flushSync(look);
  };
  return { body, first, last, above: first * height, below: (count - last) * height, reveal };
}
