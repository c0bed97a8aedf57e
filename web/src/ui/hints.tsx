/**
 * What a part of a row says on hover and focus: its `data-hint`. One tooltip for all of them, because a list has hundreds of
 * such parts, and each with a tooltip of its own took as long to draw as the rest of its row.
 */
import { useEffect, useState } from 'react';

/** As long as other tooltips wait, `theme.ts`. */
const patienceMs = 250;
const hintId = 'hint';

interface Shown {
  readonly text: string;
  /** The middle of what it is about, and its upper edge. */
  readonly x: number;
  readonly y: number;
}

const partOf = ({ target }: Event): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('[data-hint]') : null;

/** Tells `onShow` what to show; null: nothing. */
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
  // It may say something else now, such as "Copied".
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
