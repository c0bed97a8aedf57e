/**
 * Limits concurrent uploads of files. Uploads use buffers and staging space, so only so many are read at once. The others wait for a
 * place, their bodies unread.
 *
 * While uploads wait, those with a place must be fast enough: one that stays below the minimum rate for a whole period is evicted, the
 * slowest of the network with the most places first. While none wait, slow uploads are fine.
 *
 * Invariants: an upload is evicted only if its place lets in a waiting one; an eviction never moves a place to a network that has as many
 * already; a place becomes free only when its upload has left, so that an evicted one that is still cleaning up counts.
 */
import { NetworkCounts, NetworkShares, type ShareLimits } from '../../kernel/network-shares.js';
import type { UploadingBody } from './body/body.js';
import type { BodyProgress } from './body/body-pump.js';

export interface UploadPlace {
  /** A promise while it waits for a place; false: there is none. */
  readonly entered: boolean | Promise<boolean>;
  /** Gives up the place, or the wait for it. */
  leave(): void;
}

export interface UploadPoolOptions {
  readonly places: ShareLimits;
  /** A burst waits in this queue before it is rejected. */
  readonly queue: ShareLimits;
  readonly maxWaitMs: number;
  /** While uploads wait, the rate of each upload with a place is measured over periods of this length. */
  readonly stretchMs: number;
  readonly minBytesPerSecond: number;
  readonly onEvict?: () => void;
}

/** No /24 and no /48 can have all places or fill the queue. */
export const uploadPoolDefaults: UploadPoolOptions = {
  places: { total: 256, narrow: 32, middle: 40, wide: 48 },
  queue: { total: 1_000, narrow: 150, middle: 175, wide: 200 },
  maxWaitMs: 10_000,
  stretchMs: 3_000,
  minBytesPerSecond: 32 * 1024,
};

const checkIntervalMs = 500;
/** Bounds the work of one check, which compares each waiting upload with all slow ones. */
const maxEvictionsPerCheck = 64;

interface Upload {
  readonly networks: readonly string[];
  readonly body: UploadingBody;
  state: 'waiting' | 'uploading' | 'evicted' | 'gone';
  /** Where the current period began. */
  mark: BodyProgress | null;
  decide: (mayEnter: boolean) => void;
}

export class UploadPool {
  readonly #places: NetworkShares;
  readonly #queue: NetworkShares;
  /** Places by network, without evicted uploads, which are about to leave. */
  readonly #staying = new NetworkCounts();
  #evicted = 0;
  readonly #uploading = new Set<Upload>();
  readonly #waiting = new Set<Upload>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: UploadPoolOptions = uploadPoolDefaults) {
    this.#places = new NetworkShares(options.places);
    this.#queue = new NetworkShares(options.queue);
  }

  get uploading(): number {
    return this.#uploading.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** `networks`: those of the client, narrowest first. */
  enter(networks: readonly string[], body: UploadingBody): UploadPlace {
    const upload: Upload = { networks, body, state: 'gone', mark: null, decide: () => {} };
    const leave = (): void => this.#leave(upload);
    if (this.#admit(upload)) return { entered: true, leave };
    if (!this.#queue.take(networks, 1)) return { entered: false, leave };
    upload.state = 'waiting';
    const entered = new Promise<boolean>((resolve) => {
      const timer = setTimeout(leave, this.options.maxWaitMs);
      upload.decide = (mayEnter) => {
        clearTimeout(timer);
        resolve(mayEnter);
      };
    });
    if (this.#waiting.size === 0) this.#startChecking();
    this.#waiting.add(upload);
    return { entered, leave };
  }

  #admit(upload: Upload): boolean {
    if (!this.#places.take(upload.networks, 1)) return false;
    upload.state = 'uploading';
    upload.mark = upload.body.progress();
    this.#uploading.add(upload);
    this.#staying.add(upload.networks, 1);
    return true;
  }

  #leave(upload: Upload): void {
    const { state, networks } = upload;
    upload.state = 'gone';
    if (state === 'waiting') {
      this.#leaveQueue(upload);
      upload.decide(false);
    } else if (state !== 'gone') {
      if (state === 'evicted') this.#evicted -= 1;
      else this.#staying.remove(networks, 1);
      this.#uploading.delete(upload);
      this.#places.giveBack(networks, 1);
      while (this.#admitNext());
    }
  }

  #leaveQueue(upload: Upload): void {
    this.#waiting.delete(upload);
    this.#queue.giveBack(upload.networks, 1);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Admits the next upload: from the network with the fewest places; among equals, the first to arrive. Returns false when none fits. */
  #admitNext(): boolean {
    if (this.#places.isUsedUp) return false;
    let next: Upload | undefined;
    for (const upload of this.#waiting) {
      if (!this.#places.fits(upload.networks, 1)) continue;
      if (next && this.#staying.compare(upload.networks, next.networks) >= 0) continue;
      next = upload;
      // No network has fewer than none: the others need not be checked.
      if (this.#staying.heldBy(upload.networks.at(-1)) === 0) break;
    }
    if (next === undefined || !this.#admit(next)) return false;
    this.#leaveQueue(next);
    next.decide(true);
    return true;
  }

  /** Rates are measured from the moment when the first upload waits: being slow before that did no harm. */
  #startChecking(): void {
    for (const upload of this.#uploading) upload.mark = upload.body.progress();
    this.#timer = setInterval(() => this.#check(), checkIntervalMs);
  }

  #check(): void {
    const slow = new Map<Upload, number>();
    for (const upload of this.#uploading) {
      const rate = this.#slowRateOf(upload);
      if (rate !== null) slow.set(upload, rate);
    }
    if (slow.size === 0) return;
    for (const upload of this.#mayBeHelped().slice(this.#evicted, maxEvictionsPerCheck)) {
      const victim = this.#victimFor(upload, slow);
      if (victim === undefined) continue;
      slow.delete(victim);
      this.#evict(victim);
    }
  }

  /**
   * The waiting uploads that an eviction can help, the network with the fewest places first. While places are free, these are only those
   * whose own network is at its limit: the others have too many for what is left, and no upload is in their way.
   */
  #mayBeHelped(): Upload[] {
    const lightestFirst = (uploads: Upload[]): Upload[] =>
      uploads.sort((a, b) => this.#staying.compare(a.networks, b.networks));
    const waiting = [...this.#waiting];
    if (!this.#places.isUsedUp) {
      return lightestFirst(waiting.filter(({ networks }) => this.#places.isExhausted(networks, 1)));
    }
    // Each network gets at most one of the places that become free now.
    const perNetwork = new Map<string | undefined, Upload>();
    for (const upload of lightestFirst(waiting)) {
      const widest = upload.networks.at(-1);
      if (!perNetwork.has(widest)) perNetwork.set(widest, upload);
    }
    return [...perNetwork.values()];
  }

  #evict(upload: Upload): void {
    upload.state = 'evicted';
    this.#evicted += 1;
    this.#staying.remove(upload.networks, 1);
    this.options.onEvict?.();
    upload.body.evict();
  }

  /** Returns the bytes per second if they were too few for a whole period, or null if the upload may go on. */
  #slowRateOf(upload: Upload): number | null {
    const { mark, body } = upload;
    const now = body.progress();
    if (upload.state !== 'uploading' || mark === null || now === null) return null;
    const stretchMs = now.clientMs - mark.clientMs;
    if (stretchMs < this.options.stretchMs) return null;
    const rate = ((now.bytes - mark.bytes) * 1000) / stretchMs;
    if (rate < this.options.minBytesPerSecond) return rate;
    upload.mark = now;
    return null;
  }

  #victimFor(waiter: Upload, slow: ReadonlyMap<Upload, number>): Upload | undefined {
    let found: { readonly upload: Upload; readonly rate: number } | undefined;
    for (const [upload, rate] of slow) {
      if (!this.#holdsMore(upload, waiter)) continue;
      if (!this.#places.fits(waiter.networks, 1, upload.networks)) continue;
      const more = found ? this.#staying.compare(upload.networks, found.upload.networks) : 1;
      if (more > 0 || (more === 0 && found && rate < found.rate)) found = { upload, rate };
    }
    return found?.upload;
  }

  /** Compared at the level where their networks differ. Uploads of the same network may always replace each other. */
  #holdsMore(upload: Upload, than: Upload): boolean {
    for (let level = 1; level <= upload.networks.length; level += 1) {
      const [mine, theirs] = [upload.networks.at(-level), than.networks.at(-level)];
      if (mine !== theirs) return this.#staying.heldBy(mine) > this.#staying.heldBy(theirs);
    }
    return true;
  }
}
