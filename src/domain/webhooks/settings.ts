/** Where a form's deliveries go now and what signs them, kept for a moment: a busy form is asked for at every send. */
import type { Clock } from '../../kernel/clock.js';
import type { DeliveryTarget } from '../../model/delivery.js';
import type { Signals } from '../../ports/signals.js';
import type { Store, WebhookSettings } from '../../ports/store.js';
import { isSameAddress } from './plan.js';

const freshForMs = 1_000;
const maxEntries = 10_000;

export interface CurrentSettings {
  get(formId: string): Promise<WebhookSettings | null>;
}

export function createCurrentSettings(deps: {
  store: Store;
  clock: Clock;
  signals: Signals;
}): CurrentSettings {
  const entries = new Map<string, { value: Promise<WebhookSettings | null>; staleAt: number }>();
  deps.signals.subscribe('intake-changed', () => entries.clear());
  return {
    get(formId) {
      const now = deps.clock.now();
      const known = entries.get(formId);
      // Also when the clock was set back: an entry is never kept for longer than it was meant.
      if (known && known.staleAt > now && known.staleAt <= now + freshForMs) return known.value;
      if (entries.size >= maxEntries) entries.clear();
      const value = deps.store.deliveries.settings(formId);
      entries.set(formId, { value, staleAt: now + freshForMs });
      value.catch(() => entries.delete(formId));
      return value;
    },
  };
}

/**
 * The address that a delivery has now; null when it has none any more. One that form and project both named was planned
 * for the form alone: the project may still name it.
 */
export function targetUrl(
  settings: WebhookSettings,
  { target, url }: { readonly target: DeliveryTarget; readonly url: string },
): string | null {
  const current = target === 'form' ? settings.formUrl : settings.projectUrl;
  return current ?? (isSameAddress(url, settings.projectUrl) ? url : null);
}
