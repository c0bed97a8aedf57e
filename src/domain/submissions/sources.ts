/** Where the submissions of a form come from: which pages, and which sites. */
import type { Clock } from '../../kernel/clock.js';
import type { Principal } from '../../model/account.js';
import type { Store } from '../../ports/store.js';
import type { FormService } from '../forms/service.js';

const days = 30;
/** Reading this many takes about 20 ms. */
const mostCounted = 10_000;
const mostShown = 10;

interface Source {
  readonly name: string;
  readonly count: number;
}

export interface Sources {
  readonly days: number;
  readonly submissions: number;
  readonly isComplete: boolean;
  /** The most frequent first. */
  readonly pages: readonly Source[];
  readonly hosts: readonly Source[];
}

export type SourcesOf = (who: Principal, formId: string) => Promise<Sources>;

function mostFrequent(counts: ReadonlyMap<string, number>): readonly Source[] {
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
    .slice(0, mostShown);
}

export const createSourcesOf =
  ({ store, forms, clock }: { store: Store; forms: FormService; clock: Clock }): SourcesOf =>
  async (who, formId) => {
    const { form } = await forms.get(who, formId);
    const found = await store.submissions.sources(form.id, clock.now() - days * 86_400_000, mostCounted);
    const pages = new Map<string, number>();
    const hosts = new Map<string, number>();
    for (const { submittedFrom, count } of found) {
      // Clients other than browsers may send anything.
      const url = URL.canParse(submittedFrom) ? new URL(submittedFrom) : null;
      if (!url || url.host === '') continue;
      const page = url.origin + url.pathname;
      pages.set(page, (pages.get(page) ?? 0) + count);
      hosts.set(url.host, (hosts.get(url.host) ?? 0) + count);
    }
    const submissions = found.reduce((sum, { count }) => sum + count, 0);
    return {
      days,
      submissions,
      isComplete: submissions < mostCounted,
      pages: mostFrequent(pages),
      hosts: mostFrequent(hosts),
    };
  };
