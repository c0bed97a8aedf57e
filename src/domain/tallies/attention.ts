/** What an owner should look at: forms and destinations with problems, and a disk that fills up. */
import type { Clock } from '../../kernel/clock.js';
import type { Principal } from '../../model/account.js';
import { faultInWords } from '../../model/delivery.js';
import { type DestinationState, stateOf } from '../../model/destination.js';
import { dayOf } from '../../model/tally.js';
import type { BlobStore } from '../../ports/blobs.js';
import type { TroubledDestination } from '../../ports/destinations.js';
import type { Store } from '../../ports/store.js';
import type { FormTroubles } from '../../ports/tallies.js';
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
  /** For `receiver_failing`: how many of them are not retried automatically. */
  readonly givenUp?: number;
  readonly detail: string;
  /** null: it is not about one project. */
  readonly projectId: string | null;
  /** null: it is not about one destination. */
  readonly destination: {
    readonly id: string;
    readonly name: string;
    readonly failingSince: number | null;
    readonly lastError: string | null;
    readonly waiting: number;
  } | null;
}

export interface AttentionService {
  list(who: Principal): Promise<readonly Attention[]>;
}

const dayMs = 86_400_000;
/** Older failures were seen or do not matter. They are still in the list of deliveries. */
const givenUpDays = 7;
/** The second attempt follows the first after a minute: what waits longer has failed twice. */
const waitingMs = 5 * 60_000;
const mailDays = 2;
const sandboxDays = 7;
const mostCounted = 1_000;
/** The same limit as in the list of destinations. */
const mostWaiting = 10_000;
/** Uploads, the log of the database and a backup need free space before anything fails. */
const lowDiskBytes = 1024 ** 3;

const many = (count: number, what: string): string =>
  `${count >= mostCounted ? `${mostCounted} or more` : count} ${what}${count === 1 ? '' : 's'}`;

/**
 * The state that the owner sees. One failed attempt is worth a look while its delivery waits; `stateOf` is more patient,
 * because it decides about mails. Returns null when there is nothing to show, also for a destination that a user disabled.
 */
function shownState(
  destination: TroubledDestination,
  waiting: number,
  now: number,
): Exclude<DestinationState, 'ok'> | null {
  const state = stateOf(destination, destination.health, now);
  if (state === 'ok') return destination.health.failures > 0 && waiting > 0 ? 'failing' : null;
  return state === 'disabled' && destination.health.disabledAt === null ? null : state;
}

function destinationItem(
  destination: TroubledDestination,
  waiting: number,
  now: number,
): readonly Attention[] {
  const state = shownState(destination, waiting, now);
  if (state === null) return [];
  const { id, name, formId, formName, projectId, projectName, health } = destination;
  const where = formName === null ? `“${name}” of the project “${projectName}”` : `“${name}”`;
  const why = health.lastError === null ? '' : `: ${faultInWords(health.lastError)}`;
  const what = state === 'failing' ? 'is failing' : 'is disabled because it failed';
  return [
    {
      kind: `destination_${state}`,
      ...{ formId, formName, projectId },
      count: health.failures,
      detail: `${where} ${what}${why}`,
      destination: { id, name, failingSince: health.failingSince, lastError: health.lastError, waiting },
    },
  ];
}

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
  const ofDisk = async ({ accountId, projectIds }: Principal): Promise<readonly Attention[]> => {
    if (projectIds !== null || (await store.accounts.findOldest())?.id !== accountId) return [];
    const { freeBytes } = await blobs.describe();
    if (freeBytes === null || freeBytes >= lowDiskBytes) return [];
    const megabytes = Math.floor(freeBytes / 1_000_000);
    const detail = `${megabytes} MB are free; when none are left, submissions are refused`;
    const nowhere = { formId: null, formName: null, projectId: null, destination: null };
    return [{ kind: 'disk_low', ...nowhere, count: megabytes, detail }];
  };

  const ofDestinations = async (who: Principal): Promise<readonly Attention[]> => {
    const troubled = await store.destinations.listNeedingAttention(who);
    const ids = troubled.map(({ id }) => id);
    const waiting = await store.destinations.waiting(ids, mostWaiting);
    const now = clock.now();
    return troubled.flatMap((one) => destinationItem(one, waiting.get(one.id) ?? 0, now));
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
          who,
          { givenUpSince: now - givenUpDays * dayMs, waitingSince: now - waitingMs },
          mostCounted,
        ),
        store.tallies.byForm(who, today - sandboxDays + 1, ['refused_sandbox']),
        store.tallies.byForm(who, today - mailDays + 1, ['mail_refused', 'mail_delayed']),
      ]);
      const found: Attention[] = [...disk, ...destinations];
      const add = (form: FormTroubles, kind: AttentionKind, count: number, detail: string): void => {
        const { formId, formName, projectId } = form;
        found.push({ kind, formId, formName, projectId, count, detail, destination: null });
      };
      for (const form of forms) {
        if (form.undelivered + form.waiting > 0) {
          const { formId, formName, projectId, undelivered, waiting } = form;
          const ofForm = { formId, formName, projectId, destination: null };
          const numbers = { count: undelivered + waiting, givenUp: undelivered };
          found.push({ kind: 'receiver_failing', ...ofForm, ...numbers, detail: receiverText(form) });
        }
        const refused = sandboxes.find(({ formId }) => formId === form.formId)?.count ?? 0;
        // Only if a request was rejected: a sandbox that only its owner uses works as intended.
        if (form.isSandbox && refused > 0) {
          const detail = `in sandbox mode; ${many(refused, 'request')} rejected in the last ${sandboxDays} days`;
          add(form, 'sandbox_in_use', refused, detail);
        }
        if (form.quarantined > 0) {
          add(
            form,
            'quarantine_waiting',
            form.quarantined,
            `${many(form.quarantined, 'submission')} in quarantine`,
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
