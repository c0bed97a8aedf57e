/**
 * Sends queued mails. The queue was written with the submission; a mail server that is down delays mails and loses none.
 * A mail that the server refuses for good is not tried again; everything else is, for two days.
 */
import type { Clock, Timers } from '../../kernel/clock.js';
import { type Mail, mailDelaysMs } from '../../model/mail.js';
import type { Mailer, MailMessage, MailOutcome } from '../../ports/mailer.js';
import type { Store } from '../../ports/store.js';

export interface MailDispatcher {
  start(): void;
  wake(): void;
  /** Lets the mails under way end for so long, then cuts them off; those are tried again after the next start. */
  stop(graceMs: number): Promise<void>;
}

export interface MailObserver {
  ended(mail: Mail, outcome: MailOutcome | { readonly kind: 'cancelled' }): void;
  failed(error: unknown): void;
}

const pollMs = 5_000;
const afterFaultMs = 10_000;

export function createMailDispatcher(deps: {
  store: Pick<Store, 'mails'>;
  mailer: Mailer;
  /** null: what it is about is deleted. */
  compose: (mail: Mail) => Promise<MailMessage | null>;
  clock: Clock;
  timers: Timers;
  random: () => number;
  newToken: () => string;
  owner: string;
  atOnce: number;
  leaseMs: number;
  observer: MailObserver;
}): MailDispatcher {
  const { store, clock, timers, observer } = deps;
  let sending = 0;
  let working: Promise<void> | null = null;
  let again = false;
  let stopping = false;
  let isCutOff = false;
  let callOff = (): void => {};
  const underWay = new Set<Promise<void>>();

  const settled = (mail: Mail, outcome: MailOutcome | null): Mail => {
    const attempt = mail.attempt + 1;
    if (outcome === null) {
      return { ...mail, attempt, state: 'failed', nextAttemptAt: null, error: 'The submission was deleted' };
    }
    if (outcome.kind === 'sent') return { ...mail, attempt, state: 'sent', nextAttemptAt: null, error: null };
    const delay = outcome.permanent ? undefined : mailDelaysMs[mail.attempt];
    if (delay === undefined) {
      return { ...mail, attempt, state: 'failed', nextAttemptAt: null, error: outcome.detail };
    }
    const nextAttemptAt = clock.now() + Math.ceil(delay * (1 + deps.random() / 10));
    return { ...mail, attempt, state: 'pending', nextAttemptAt, error: outcome.detail };
  };

  const send = async (mail: Mail, token: string): Promise<void> => {
    const message = await deps.compose(mail);
    const outcome = message ? await deps.mailer.send(message) : null;
    // What we cut off ourselves was no try: its lease is freed at the next start.
    if (isCutOff && outcome?.kind !== 'sent') return;
    observer.ended(mail, outcome ?? { kind: 'cancelled' });
    await store.mails.record(settled(mail, outcome), token);
  };

  const claim = async (): Promise<void> => {
    const free = deps.atOnce - sending;
    if (free <= 0 || stopping) return;
    const token = deps.newToken();
    const now = clock.now();
    const mails = await store.mails.claim(free, { token, owner: deps.owner, until: now + deps.leaseMs }, now);
    sending += mails.length;
    for (const mail of mails) {
      const sent = send(mail, token)
        // Not recorded: its lease runs out and it is tried again.
        .catch((error: unknown) => observer.failed(error))
        .finally(() => {
          sending -= 1;
          underWay.delete(sent);
          work();
        });
      underWay.add(sent);
    }
  };

  const workWhileNeeded = async (): Promise<void> => {
    let waitMs = pollMs;
    try {
      do {
        again = false;
        await claim();
      } while (again);
      const dueAt = await store.mails.nextDueAt();
      if (dueAt !== null && sending < deps.atOnce)
        waitMs = Math.min(pollMs, Math.max(0, dueAt - clock.now()));
    } catch (error) {
      observer.failed(error);
      waitMs = afterFaultMs;
    }
    callOff();
    if (!stopping) callOff = timers.after(waitMs, work);
  };

  const work = (): void => {
    if (working) again = true;
    else if (!stopping) {
      working = workWhileNeeded().finally(() => {
        working = null;
        // Woken between the last look and now.
        if (again) work();
      });
    }
  };

  return {
    start: work,
    wake: work,
    async stop(graceMs) {
      stopping = true;
      callOff();
      await working;
      const allEnded = Promise.allSettled([...underWay]);
      let endGrace = (): void => {};
      const grace = new Promise<void>((resolve) => {
        endGrace = timers.after(graceMs, resolve);
      });
      await Promise.race([allEnded, grace]);
      endGrace();
      isCutOff = underWay.size > 0;
      if (isCutOff) deps.mailer.cutOff();
      await allEnded;
      await deps.mailer.close();
    },
  };
}
