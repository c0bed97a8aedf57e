/** Keeps the senders of webhooks and mails running: what they wake up by, and how they end. */
import type { MailDispatcher } from '../domain/mail/dispatcher.js';
import type { Dispatcher } from '../domain/webhooks/dispatcher.js';
import type { Signals } from '../ports/signals.js';

export interface Senders {
  /** Sends under way get the time to end; what is cut off is sent again after the next start. */
  stop(graceMs: number): Promise<void>;
}

export function startSenders(deps: {
  dispatcher: Dispatcher;
  mails: MailDispatcher | null;
  signals: Signals;
}): Senders {
  const { dispatcher, mails, signals } = deps;
  const endings = [
    signals.subscribe('deliveries-ready', ({ urls }) => dispatcher.wake(urls)),
    signals.subscribe('mails-ready', () => mails?.wake()),
  ];
  dispatcher.start();
  mails?.start();
  return {
    async stop(graceMs) {
      for (const end of endings) end();
      await Promise.all([dispatcher.stop(graceMs), mails?.stop(graceMs)]);
    },
  };
}
