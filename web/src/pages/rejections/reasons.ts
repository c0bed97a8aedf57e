/** Why requests were rejected: the reasons in words, counted, and what was seen as a sentence. Pure. */
import type { DayRow, Series } from '../../ui/charts/days.js';
import type { Rejections } from '../../wire.js';

type Listed = Rejections['examples'][number];
/** The server may be newer than this page, and name a reason that is not known here. */
export type Example = Omit<Listed, 'reason'> & { readonly reason: string };

interface ReasonWords {
  readonly title: string;
  readonly why: string;
}

const words: Readonly<Record<string, ReasonWords>> = {
  origin: {
    title: 'Origin not allowed',
    why: 'The page that sent it is not in the list of allowed origins.',
  },
  sandbox: {
    title: 'Address not registered',
    why: 'The form is in sandbox mode and accepts submissions only from registered addresses.',
  },
  localhost: {
    title: 'From localhost',
    why: 'A live form rejects submissions from localhost. Use sandbox mode while you develop.',
  },
  inactive: { title: 'Form closed', why: 'The form or its project is not active.' },
  blocked: { title: 'Blocked address', why: 'The address is in the list of blocked addresses.' },
  service_key: {
    title: 'Wrong service key',
    why: 'The X-Service-Key does not match the key of the form.',
  },
  rate: {
    title: 'Too many requests',
    why: 'One address sent more in a minute than the project allows.',
  },
  captcha: { title: 'CAPTCHA failed', why: 'The CAPTCHA was not solved, or its keys are wrong.' },
  honeypot: {
    title: 'Hidden field filled in',
    why: 'Only bots fill this in. Their submissions wait in quarantine.',
  },
  size: { title: 'Too large', why: 'The request or one of its files is larger than allowed.' },
  content_type: {
    title: 'Unreadable content',
    why: 'The form accepts JSON, URL-encoded and multipart data.',
  },
  plan: { title: 'Not in the plan', why: 'The plan of the account does not include file uploads.' },
  webhook_loop: {
    title: 'Webhook came back',
    why: 'A webhook of this service was passed on to this form. Check what your webhook URL does with requests.',
  },
  redirect: {
    title: 'Redirect not allowed',
    why: 'The submission was stored, but its page asked for a redirect to a site that is not in the list of allowed origins.',
  },
};

export const reasonWords = (reason: string): ReasonWords =>
  words[reason] ?? { title: reason, why: 'This version of the dashboard does not know this reason.' };

/** `Origin: https://…`: what machines said, not what we say about it. */
export const isHeader = (seen: string): boolean => /^[A-Z][A-Za-z-]+: /.test(seen);

/** What was seen, and what is the matter with it: `Origin: https://…` + `is not in the list`. */
export function sentenceOf({ reason, seen }: Pick<Example, 'reason' | 'seen'>): readonly [string, string] {
  const text = seen;
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  if (reason === 'origin') {
    return /^(?:Origin|Referer): /.test(text) ? [text, 'is not in the list'] : [capital, 'was sent'];
  }
  if (reason === 'localhost') return [text, 'is on localhost'];
  if (reason === 'sandbox') return [capital, 'is not registered'];
  if (reason === 'blocked') return [capital, 'is blocked'];
  return [capital, ''];
}

export interface ReasonCount {
  readonly reason: string;
  readonly count: number;
}

/** Those that happened, most frequent first. */
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

/** More colours than these cannot be told apart. */
const maxKinds = 5;
const others = 'others';

/** The most frequent reasons, and the others together. Bots have their own colour. */
export function stackOf(days: Rejections['days']): {
  readonly rows: readonly DayRow[];
  readonly series: readonly Series[];
} {
  const counted = reasonCounts(days);
  const shown = counted.slice(0, maxKinds).map(({ reason }) => reason);
  const rest = counted.slice(maxKinds).map(({ reason }) => reason);
  let kind = 0;
  const colorOf = (reason: string): string => {
    if (reason === 'honeypot') return 'var(--chart-quarantined)';
    kind += 1;
    return `var(--chart-kind-${kind})`;
  };
  const series = shown.map((reason) => ({
    name: reason,
    label: reasonWords(reason).title,
    color: colorOf(reason),
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
        ? [...series, { name: others, label: 'Other reasons', color: 'var(--chart-refused)' }]
        : series,
  };
}

export interface SeenExample extends Example {
  readonly times: number;
}

/** The same seen again from the same address stands there once, with the latest time. */
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
