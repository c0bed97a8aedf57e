/**
 * Shows the `data-hint` of an element on hover and focus. One shared tooltip, because a list has hundreds of such elements, and a
 * tooltip for each took as long to render as the rest of its row.
 */
import { useEffect, useState } from 'react';

/** The same delay as other tooltips, `theme.ts`. */
const patienceMs = 250;
const hintId = 'hint';

interface Shown {
  readonly text: string;
  /** The middle of the element, and its top edge. */
  readonly x: number;
  readonly y: number;
}

const partOf = ({ target }: Event): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('[data-hint]') : null;

/** Calls `onShow` with the hint to show, or null for none. */
function listen(onShow: (shown: Shown | null) => void): () => void {
  const stop = new AbortController();
  let part: HTMLElement | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hide = () => {
    clearTimeout(timer);
    part?.removeAttribute('aria-describedby');
    part = null;
    onShow(null);
  };
  const show = (next: HTMLElement) => {
    if (part !== next) hide();
    part = next;
    part.setAttribute('aria-describedby', hintId);
    const { left, top, width } = part.getBoundingClientRect();
    onShow({ text: part.dataset.hint ?? '', x: left + width / 2, y: top });
  };
  const on = (name: string, work: (event: Event) => void) =>
    document.addEventListener(name, work, { capture: true, passive: true, signal: stop.signal });
  on('pointerover', (event) => {
    const next = partOf(event);
    if (next === part) return;
    hide();
    if (next !== null) timer = setTimeout(show, patienceMs, next);
  });
  on('focusin', (event) => {
    const next = partOf(event);
    if (next?.matches(':focus-visible')) show(next);
  });
  on('focusout', hide);
  on('scroll', hide);
  on('keydown', (event) => {
    if (event instanceof KeyboardEvent && event.key === 'Escape') hide();
  });
  // The hint may have changed, for example to "Copied".
  on('click', (event) => {
    const clicked = partOf(event);
    if (clicked !== null) requestAnimationFrame(() => clicked.isConnected && show(clicked));
  });
  return () => {
    hide();
    stop.abort();
  };
}

export function Hints() {
  const [shown, setShown] = useState<Shown | null>(null);
  useEffect(() => listen(setShown), []);
  return (
    shown !== null && (
      <div
        id={hintId}
        role="tooltip"
        className="hint"
        style={{ left: `clamp(10.5rem, ${shown.x}px, 100vw - 10.5rem)`, top: shown.y }}
      >
        {shown.text}
      </div>
    )
  );
}
