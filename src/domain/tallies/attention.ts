/** What its owner should look at: forms that something is the matter with, and a disk that fills up. */
import type { Clock } from '../../kernel/clock.js';
import type { Principal } from '../../model/account.js';
import { stateOf } from '../../model/destination.js';
import { dayOf } from '../../model/tally.js';
import type { BlobStore } from '../../ports/blobs.js';
import type { FormTroubles, Store } from '../../ports/store.js';
import type { Tallies } from './tallies.js';

export type AttentionKind =
  | 'receiver_failing'
  | 'sandbox_in_use'
  | 'quarantine_waiting'
  | 'disk_low'
  | 'mail_failing'
  | 'destination_failing'
  | 'destination_disabled';

export interface Attention {
  readonly kind: AttentionKind;
  /** null: it is not about one form. */
  readonly formId: string | null;
  readonly formName: string | null;
  readonly count: number;
  readonly detail: string;
}

export interface AttentionService {
  list(who: Principal): Promise<readonly Attention[]>;
}

const dayMs = 86_400_000;
/** What was given up longer ago was seen or does not matter; it is still found in the list of deliveries. */
const givenUpDays = 7;
/** A first attempt that failed is a minute old when the second one is made: what waits longer has failed twice. */
const waitingMs = 5 * 60_000;
const mailDays = 2;
const sandboxDays = 7;
const mostCounted = 1_000;
/** Uploads, the log of the database and a backup need room before anything fails. */
const lowDiskBytes = 1024 ** 3;

const many = (count: number, what: string): string =>
  `${count >= mostCounted ? `${mostCounted} or more` : count} ${what}${count === 1 ? '' : 's'}`;

const receiverText = ({ undelivered, waiting }: FormTroubles): string =>
  [
    undelivered > 0 ? `${many(undelivered, 'submission')} of the last ${givenUpDays} days not delivered` : '',
    waiting > 0 ? `${many(waiting, 'submission')} being tried again` : '',
  ]
    .filter((text) => text !== '')
    .join(', ');

export function createAttentionService(deps: {
  store: Store;
  blobs: BlobStore;
  tallies: Tallies;
  clock: Clock;
}): AttentionService {
  const { store, blobs, tallies, clock } = deps;

  /** Only for the operator, whose account is the oldest: others can do nothing about the machine. */
  const ofDisk = async ({ accountId }: Principal): Promise<readonly Attention[]> => {
    if ((await store.accounts.findOldest())?.id !== accountId) return [];
    const { freeBytes } = await blobs.describe();
    if (freeBytes === null || freeBytes >= lowDiskBytes) return [];
    const megabytes = Math.floor(freeBytes / 1_000_000);
    const detail = `${megabytes} MB are free; when none are left, submissions are refused`;
    return [{ kind: 'disk_low', formId: null, formName: null, count: megabytes, detail }];
  };

  const ofDestinations = async ({ accountId }: Principal): Promise<readonly Attention[]> => {
    const now = clock.now();
    const troubled = await store.destinations.listNeedingAttention(accountId);
    return troubled.flatMap(({ formId, formName, projectName, name, health, ...destination }) => {
      const state = stateOf(destination, health, now);
      // Who has disabled it knows.
      if (state === 'ok' || (state === 'disabled' && health.disabledAt === null)) return [];
      const where = formName === null ? `“${name}” of the project “${projectName}”` : `“${name}”`;
      const why = health.lastError === null ? '' : `: ${health.lastError}`;
      const kind = state === 'failing' ? ('destination_failing' as const) : ('destination_disabled' as const);
      const what = state === 'failing' ? 'is failing' : 'is disabled because it failed';
      return [{ kind, formId, formName, count: health.failures, detail: `${where} ${what}${why}` }];
    });
  };

  return {
    async list(who) {
      await tallies.write().catch(() => {});
      const now = clock.now();
      const today = dayOf(now);
      const [disk, destinations, forms, sandboxes, mails] = await Promise.all([
        ofDisk(who),
        ofDestinations(who),
        store.tallies.troubles(
          who.accountId,
          { givenUpSince: now - givenUpDays * dayMs, waitingSince: now - waitingMs },
          mostCounted,
        ),
        store.tallies.byForm(who.accountId, today - sandboxDays + 1, ['refused_sandbox']),
        store.tallies.byForm(who.accountId, today - mailDays + 1, ['mail_refused', 'mail_delayed']),
      ]);
      const found: Attention[] = [...disk, ...destinations];
      const add = (form: FormTroubles, kind: AttentionKind, count: number, detail: string): void => {
        found.push({ kind, formId: form.formId, formName: form.formName, count, detail });
      };
      for (const form of forms) {
        if (form.undelivered + form.waiting > 0) {
          add(form, 'receiver_failing', form.undelivered + form.waiting, receiverText(form));
        }
        const refused = sandboxes.find(({ formId }) => formId === form.formId)?.count ?? 0;
        // Somebody is kept out: a sandbox that only its owner uses is what it is for.
        if (form.isSandbox && refused > 0) {
          const detail = `in sandbox mode; ${many(refused, 'request')} rejected in the last ${sandboxDays} days`;
          add(form, 'sandbox_in_use', refused, detail);
        }
        if (form.quarantined > 0) {
          add(
            form,
            'quarantine_waiting',
            form.quarantined,
            `${many(form.quarantined, 'message')} in quarantine`,
          );
        }
        const failed = mails.filter(({ formId }) => formId === form.formId);
        if (failed.length > 0) {
          const sum = failed.reduce((all, { count }) => all + count, 0);
          add(form, 'mail_failing', sum, `${many(sum, 'mail')} not taken in the last ${mailDays} days`);
        }
      }
      return found;
    },
  };
}
