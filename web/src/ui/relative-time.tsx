/** Times as people read them: "3 min ago", or the exact time where the reader is; in UTC on hover and focus. */
import { Tooltip, UnstyledButton } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useSyncExternalStore } from 'react';

const steps: readonly (readonly [seconds: number, unit: string])[] = [
  [31_536_000, 'y'],
  [2_592_000, 'mo'],
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
];

export function relativeWords(at: number, now: number): string {
  const seconds = Math.round((now - at) / 1000);
  const distance = Math.abs(seconds);
  if (distance < 10) return 'just now';
  const [size, unit] = steps.find(([length]) => distance >= length) ?? [1, 's'];
  const words = `${Math.floor(distance / size)} ${unit}`;
  return seconds >= 0 ? `${words} ago` : `in ${words}`;
}

const exactUtc = (iso: string): string => `${iso.slice(0, 19).replace('T', ' ')} UTC`;

const local = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
/** `17 Nov 2026, 19:00:11`, where the reader is. */
const exactLocal = (iso: string): string => local.format(new Date(iso));

export const ExactTime = ({ iso }: { readonly iso: string }) => (
  <time dateTime={iso} title={exactUtc(iso)}>
    {exactLocal(iso)}
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

/** The time now, to ten seconds; the component is drawn again when it changes. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);

/** A click copies it as ISO 8601. */
export function RelativeTime({ iso }: { readonly iso: string }) {
  const clipboard = useClipboard({ timeout: 1500 });
  // What was made after the clock last ticked is not from the future.
  const words = relativeWords(Date.parse(iso), Math.max(useNow(), Math.min(Date.parse(iso), Date.now())));
  return (
    <Tooltip label={clipboard.copied ? 'Copied' : `${exactLocal(iso)} · ${exactUtc(iso)} · click to copy`}>
      <UnstyledButton
        className="above"
        style={{ font: 'inherit', color: 'inherit', whiteSpace: 'nowrap', lineHeight: 'inherit' }}
        onClick={(event) => {
          event.preventDefault();
          event.stopPropagation();
          clipboard.copy(iso);
        }}
      >
        <time dateTime={iso}>{words}</time>
      </UnstyledButton>
    </Tooltip>
  );
}
