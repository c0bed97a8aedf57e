/**
 * Runs the steps of erasures. Each is one transaction with its progress, so that an erasure resumes where it was after a crash.
 *
 * What must stay true: the tombstone is stored outside the database before the first row is deleted. The erasure finishes only
 * when the bytes of files are gone, and the traces in the database files are gone or reported to the operator.
 */
import type { Clock } from '../../kernel/clock.js';
import { lowestIdAt } from '../../kernel/ids.js';
import { theSystem } from '../../model/audit.js';
import { type Erasure, type PersonPlace, personPlaces, type Tombstone } from '../../model/erasure.js';
import { personKey, type Spelling } from '../../model/person.js';
import type { BlobStore } from '../../ports/blobs.js';
import type { ErasurePosition, TracesLeft } from '../../ports/persons.js';
import type { Signals } from '../../ports/signals.js';
import type { Store } from '../../ports/store.js';
import { planNotices } from './erasure-notices.js';
import { holding, wantedOf } from './finding.js';

export const erasureStepMs = 1_000;
const blobsPerStep = 100;
/** The pause after a failure, such as an unavailable bucket or a table that cannot be rewritten now. */
const retryMs = 60_000;

/** Scanned once more, from a while before the erasure began: what was submitted before it may be committed late. */
const latePlaces: readonly PersonPlace[] = [
  'submissions',
  'files',
  'confirmations',
  'quarantine',
  'deliveries',
];
const lateMs = 15 * 60_000;

const tombstoneOf = ({ id, accountId, key, personHash, createdAt }: Erasure): Tombstone => ({
  ...{ id, accountId, key, personHash, createdAt },
});

const afterOf = (stage: Erasure['stage'], createdAt: number): string =>
  stage === 'late' ? JSON.stringify([lowestIdAt(createdAt - lateMs)]) : '';

/** Returns null when all places of both stages are done. */
function nextPlace({ stage, place, createdAt }: Erasure): ErasurePosition | null {
  const places = stage === 'late' ? latePlaces : personPlaces;
  const next = places[places.indexOf(place) + 1];
  if (next !== undefined) return { stage, place: next, after: afterOf(stage, createdAt) };
  return stage === 'rows' ? { stage: 'late', place: 'submissions', after: afterOf('late', createdAt) } : null;
}

export interface ErasureDeps {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly signals: Signals;
  readonly clock: Clock;
  /** A keyed hash. */
  readonly hash: Spelling;
  /** Called when traces remain that only the operator can remove. */
  readonly onTracesLeft: (erasureId: string, left: TracesLeft) => void;
}

export class Erasing {
  #isRestored = false;
  readonly #failedAt = new Map<string, number>();

  constructor(private readonly deps: ErasureDeps) {}

  async step(signal: AbortSignal): Promise<void> {
    if (!this.#isRestored) {
      await this.#beginRestored();
      this.#isRestored = true;
    }
    const faults: unknown[] = [];
    for (const erasure of await this.deps.store.erasures.listRunning()) {
      // The failure of one erasure must not block the others.
      await this.#advance(erasure, signal).catch((error: unknown) => faults.push(error));
    }
    if (faults.length > 0) throw faults[0];
  }

  async #advance(erasure: Erasure, signal: AbortSignal): Promise<void> {
    const { clock } = this.deps;
    if ((this.#failedAt.get(erasure.id) ?? 0) > clock.now() - retryMs) return;
    try {
      let running: Erasure | null = erasure;
      while (running !== null && !signal.aborted) running = await this.#stepOne(running, signal);
      this.#failedAt.delete(erasure.id);
    } catch (error) {
      this.#failedAt.set(erasure.id, clock.now());
      throw error;
    }
  }

  /** Repeats erasures that this database does not know, because it was restored from an earlier backup. */
  async #beginRestored(): Promise<void> {
    const { store, blobs } = this.deps;
    const tombstones: Tombstone[] = [];
    for await (const { text } of blobs.notes()) tombstones.push(JSON.parse(text) as Tombstone);
    const known = await store.erasures.known(tombstones.map(({ id }) => id));
    for (const tombstone of tombstones) {
      if (known.has(tombstone.id) || !(await store.accounts.find(tombstone.accountId))) continue;
      await store.erasures.create(begunErasure(tombstone, null));
    }
  }

  /** Returns the erasure to continue with at once, or null when it has finished or has to wait. */
  async #stepOne(erasure: Erasure, signal: AbortSignal): Promise<Erasure | null> {
    const { store } = this.deps;
    switch (erasure.stage) {
      case 'rows':
      case 'late':
        return this.#eraseRows(erasure);
      case 'files':
        if (await this.#eraseFiles(erasure)) return erasure;
        await this.#redactAudit(erasure);
        return store.erasures.enter(erasure, 'traces');
      case 'traces': {
        const spellings = erasure.q === null ? null : spellingsOf(erasure.q);
        const removal = await store.erasures.removeTraces(spellings, signal);
        if (removal === 'busy') return null;
        if (removal !== 'removed') this.deps.onTracesLeft(erasure.id, removal);
        await this.#finish(erasure);
        return null;
      }
      case 'finished':
        return null;
    }
  }

  async #eraseRows(erasure: Erasure): Promise<Erasure | null> {
    const { store, blobs, signals, clock, hash } = this.deps;
    const { place, after, accountId, stage } = erasure;
    if (stage === 'rows' && place === personPlaces[0] && after === '')
      await blobs.keepNote(erasure.id, JSON.stringify(tombstoneOf(erasure)));
    const wanted = wantedOf(erasure, hash);
    const page = await store.persons.scan(accountId, place, wanted.key, after);
    const refs = (await holding(page.rows, wanted)).map(({ ref }) => ref);
    const position = page.next === null ? nextPlace(erasure) : { stage, place, after: page.next };
    const to = position ?? { stage: 'files' as const, place, after: '' };
    const done = await store.erasures.eraseRows(erasure, { refs, to, now: clock.now() });
    if (refs.length > 0) signals.publish({ kind: 'files-changed' });
    return done === null || done.isBusy ? null : done.erasure;
  }

  async #finish(erasure: Erasure): Promise<void> {
    const { store, signals, clock } = this.deps;
    const ids = await store.erasures.submissionIds(erasure.id);
    const subscribers =
      ids.length === 0 ? [] : await store.destinations.listErasureSubscribers(erasure.accountId);
    const notices = planNotices(erasure, ids, subscribers, clock.now());
    const done = await store.erasures.finish(erasure, notices, clock.now());
    if (done !== null && notices.length > 0)
      signals.publish({ kind: 'deliveries-ready', lanes: [...new Set(notices.map(({ lane }) => lane))] });
  }

  /** Removes what audit entries say of the person; the entries stay. Repeated after a crash, which changes nothing. */
  async #redactAudit(erasure: Erasure): Promise<void> {
    const { store, hash } = this.deps;
    const { isInText } = wantedOf(erasure, hash);
    const who = { accountId: erasure.accountId, actor: theSystem };
    for (let after: number | null = 0; after !== null; )
      ({ next: after } = await store.audit.redactStep(who, after, isInText));
  }

  /** Returns false when none is left. */
  async #eraseFiles({ id }: Erasure): Promise<boolean> {
    const { store, blobs } = this.deps;
    const keys = await store.erasures.listBlobs(id, blobsPerStep);
    for (const key of keys) await blobs.erase(key);
    await store.erasures.forgetBlobs(id, keys);
    return keys.length > 0;
  }
}

/** The spellings to look for in the database files. */
function spellingsOf(q: string): readonly string[] {
  const key = personKey(q);
  return key?.kind === 'email' ? [...key.tokens] : [q.trim()];
}

export const begunErasure = (tombstone: Tombstone, q: string | null): Erasure => ({
  ...tombstone,
  q,
  stage: 'rows',
  place: personPlaces[0],
  after: '',
  counts: {},
  filesRemoved: 0,
  finishedAt: null,
});
