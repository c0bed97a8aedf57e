/** Rejection reasons in words and counts, and the observed values as sentences. Pure. */

import type { ReactNode } from 'react';
import type { DayRow, Series } from '../../ui/charts/days.js';
import type { Rejections } from '../../wire.js';
import * as words from '../../words/rejections.js';

type Listed = Rejections['examples'][number];
/** A newer server may send a reason that is unknown here. */
export type Example = Omit<Listed, 'reason'> & { readonly reason: string };

interface ReasonWords {
  readonly title: string;
  readonly why: string;
}

const known: Readonly<Record<string, ReasonWords>> = {
  origin: {
    title: words.originNotAllowed,
    why: words.originNotAllowedWhy,
  },
  sandbox: {
    title: words.addressNotRegistered,
    why: words.addressNotRegisteredWhy,
  },
  localhost: {
    title: words.fromLocalhost,
    why: words.fromLocalhostWhy,
  },
  inactive: { title: words.formClosed, why: words.formClosedWhy },
  blocked: { title: words.blockedAddress, why: words.blockedAddressWhy },
  service_key: {
    title: words.wrongServiceKey,
    why: words.wrongServiceKeyWhy,
  },
  rate: {
    title: words.tooManyRequests,
    why: words.tooManyRequestsWhy,
  },
  captcha: { title: words.captchaFailed, why: words.captchaFailedWhy },
  honeypot: {
    title: words.hiddenFieldFilledIn,
    why: words.hiddenFieldFilledInWhy,
  },
  size: { title: words.tooLarge, why: words.tooLargeWhy },
  content_type: {
    title: words.unreadableContent,
    why: words.unreadableContentWhy,
  },
  fields: { title: words.fieldsNotValid, why: words.fieldsNotValidWhy },
  plan: { title: words.notInThePlan, why: words.notInThePlanWhy },
  webhook_loop: {
    title: words.webhookCameBack,
    why: words.webhookCameBackWhy,
  },
  redirect: {
    title: words.redirectNotAllowed,
    why: words.redirectNotAllowedWhy,
  },
} satisfies Record<Listed['reason'], ReasonWords>;

export const reasonWords = (reason: string): ReasonWords =>
  known[reason] ?? { title: reason, why: words.unknownReasonWhy };

/** `Origin: https://…` is what a client sent, not our own text. */
export const isHeader = (seen: string): boolean => /^[A-Z][A-Za-z-]+: /.test(seen);

/** The observed value, and the sentence around it: `Origin: https://…` in `… is not in the list`. */
export function sentenceOf({
  reason,
  seen,
}: Pick<Example, 'reason' | 'seen'>): readonly [seen: string, sentence: (seen: ReactNode) => ReactNode] {
  const capital = seen.charAt(0).toUpperCase() + seen.slice(1);
  if (reason === 'origin') {
    return /^(?:Origin|Referer): /.test(seen) ? [seen, words.seenNotInList] : [capital, words.seenSent];
  }
  if (reason === 'localhost') return [seen, words.seenOnLocalhost];
  if (reason === 'sandbox') return [capital, words.seenNotRegistered];
  if (reason === 'blocked') return [capital, words.seenBlocked];
  return [capital, (alone) => alone];
}

export interface ReasonCount {
  readonly reason: string;
  readonly count: number;
}

/** Honeypot submissions are stored and counted in quarantine. */
export const withoutHoneypot = (days: Rejections['days']): Rejections['days'] =>
  days.map((day) => ({ ...day, reasons: { ...day.reasons, honeypot: 0 } }));

/** The reasons that occurred, most frequent first. */
export function reasonCounts(days: Rejections['days']): readonly ReasonCount[] {
  const counts = new Map<string, number>();
  for (const { reasons } of days) {
    for (const [reason, count] of Object.entries(reasons)) {
      counts.set(reason, (counts.get(reason) ?? 0) + count);
    }
  }
  return [...counts]
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => ({ reason, count }))
    .sort((one, other) => other.count - one.count);
}

/** More colours than this are hard to tell apart. */
const maxKinds = 5;
const others = 'others';

/** The most frequent reasons, and all others combined. */
export function stackOf(days: Rejections['days']): {
  readonly rows: readonly DayRow[];
  readonly series: readonly Series[];
} {
  const counted = reasonCounts(days);
  const shown = counted.slice(0, maxKinds).map(({ reason }) => reason);
  const rest = counted.slice(maxKinds).map(({ reason }) => reason);
  const series = shown.map((reason, place) => ({
    name: reason,
    label: reasonWords(reason).title,
    color: `var(--chart-kind-${place + 1})`,
  }));
  const rows = days.map(({ day, reasons: counts }) => {
    const reasons: Readonly<Record<string, number>> = counts;
    return {
      day,
      ...Object.fromEntries(shown.map((reason) => [reason, reasons[reason] ?? 0])),
      ...(rest.length > 0 ? { [others]: rest.reduce((sum, reason) => sum + (reasons[reason] ?? 0), 0) } : {}),
    };
  });
  return {
    rows,
    series:
      rest.length > 0
        ? [...series, { name: others, label: words.otherReasons, color: 'var(--chart-refused)' }]
        : series,
  };
}

export interface SeenExample extends Example {
  readonly times: number;
}

/** Shows identical values from the same address once, with the latest time. */
export function foldExamples(examples: readonly Example[], reason: string): readonly SeenExample[] {
  const found = new Map<string, SeenExample>();
  for (const example of examples) {
    if (example.reason !== reason) continue;
    const key = JSON.stringify([example.seen, example.ip]);
    const before = found.get(key);
    found.set(key, before === undefined ? { ...example, times: 1 } : { ...before, times: before.times + 1 });
  }
  return [...found.values()];
}
