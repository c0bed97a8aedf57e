/** Dragging rows of a list by their handles, with mouse, pen or touch. */
import { type PointerEvent, useEffect, useRef, useState } from 'react';

interface Drag {
  readonly from: number;
  /** The index among the other rows. */
  readonly to: number;
}

/** The number of other rows above a point. */
function placeAt(list: HTMLElement, from: number, y: number): number {
  const others = [...list.children].filter((_, place) => place !== from);
  return others.filter((row) => {
    const { top, height } = row.getBoundingClientRect();
    return y > top + height / 2;
  }).length;
}

export function useDrag(onMove: (from: number, to: number) => void) {
  const list = useRef<HTMLOListElement>(null);
  const [drag, setDrag] = useState<Drag | null>(null);
  const listening = useRef(new AbortController());
  useEffect(() => () => listening.current.abort(), []);

  const begin = (from: number) => (event: PointerEvent) => {
    const rows = list.current;
    if (event.button !== 0 || rows === null) return;
    listening.current.abort();
    listening.current = new AbortController();
    const { signal } = listening.current;
    const stop = () => {
      listening.current.abort();
      setDrag(null);
    };
    // On the window, because the pointer soon leaves the handle.
    window.addEventListener(
      'pointermove',
      ({ clientY }) => setDrag({ from, to: placeAt(rows, from, clientY) }),
      { signal },
    );
    window.addEventListener(
      'pointerup',
      ({ clientY }) => {
        stop();
        onMove(from, placeAt(rows, from, clientY));
      },
      { signal },
    );
    window.addEventListener('pointercancel', stop, { signal });
    window.addEventListener('keydown', ({ key }) => key === 'Escape' && stop(), { signal });
  };

  /** The side of another row on which the dragged row would land. */
  const dropAt = (place: number): 'before' | 'after' | undefined => {
    if (drag === null || drag.to === drag.from) return undefined;
    const without = place > drag.from ? place - 1 : place;
    if (place === drag.from) return undefined;
    if (drag.to < drag.from) return without === drag.to ? 'before' : undefined;
    return without === drag.to - 1 ? 'after' : undefined;
  };

  return { list, dragged: drag?.from ?? null, begin, dropAt };
}
