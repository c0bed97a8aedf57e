/** Times for reading: "3 min ago", or the exact local time. UTC is shown on hover and focus. */
import { useClipboard } from '@mantine/hooks';
import { useSyncExternalStore } from 'react';
import * as common from '../words/common.js';
import * as words from '../words/controls.js';
import { formatRelative, formatTime, formatUtc } from '../words/format.js';

export const ExactTime = ({ iso }: { readonly iso: string }) => (
  <time dateTime={iso} title={formatUtc(iso)}>
    {formatTime(iso)}
  </time>
);

// One clock for all times on the page.
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, 10_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
};

/** The current time, updated every ten seconds. Re-renders the component. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);

/** Without this, times after the last tick would appear to be in the future. */
const useRelative = (iso: string): string =>
  formatRelative(Date.parse(iso), Math.max(useNow(), Math.min(Date.parse(iso), Date.now())));

/** For use inside another clickable element. */
export const RelativeText = ({ iso }: { readonly iso: string }) => (
  <time dateTime={iso} title={formatUtc(iso)}>
    {useRelative(iso)}
  </time>
);

/** Copies the time as ISO 8601 on click. */
export function RelativeTime({ iso }: { readonly iso: string }) {
  const clipboard = useClipboard({ timeout: 1500 });
  const shown = useRelative(iso);
  return (
    <button
      type="button"
      className="above plain-button"
      data-hint={clipboard.copied ? common.copied : words.copyTime(formatTime(iso), formatUtc(iso))}
      onClick={(event) => {
        event.preventDefault();
        event.stopPropagation();
        clipboard.copy(iso);
      }}
    >
      <time dateTime={iso}>{shown}</time>
    </button>
  );
}
