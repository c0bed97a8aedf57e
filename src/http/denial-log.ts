/**
 * Logs requests without valid credentials. Anyone can send these, so they must not fill the log: the first of an address is logged
 * at once, those of the next ten seconds are only counted, and only a few addresses get a line in that time.
 */
import type { Logger } from '../kernel/log.js';

const quietMs = 10_000;
const maxAddresses = 20;

export function createDenialLog(
  log: Pick<Logger, 'info'>,
  now: () => number = () => performance.now(),
): (address: string, fields: object) => void {
  /** By address: how long it stays quiet, and how many requests were not logged. */
  let quiet = new Map<string, { readonly until: number; unlogged: number }>();
  /** Unlogged requests of forgotten addresses, and of those beyond `maxAddresses`. */
  let others = 0;

  const forgetOld = (at: number): void => {
    for (const { until, unlogged } of quiet.values()) if (until <= at) others += unlogged;
    quiet = new Map([...quiet].filter(([, { until }]) => until > at));
  };

  return (address, fields) => {
    const at = now();
    const known = quiet.get(address);
    if (known && at < known.until) {
      known.unlogged += 1;
      return;
    }
    if (known) quiet.delete(address);
    if (quiet.size >= maxAddresses) forgetOld(at);
    if (quiet.size >= maxAddresses) {
      others += 1 + (known?.unlogged ?? 0);
      return;
    }
    quiet.set(address, { until: at + quietMs, unlogged: 0 });
    // Not a warning: every visit to the dashboard begins with one until the user signs in.
    log.info(
      {
        ...fields,
        ...(known && known.unlogged > 0 ? { same_before: known.unlogged } : {}),
        ...(others > 0 ? { others_before: others } : {}),
      },
      'request denied',
    );
    others = 0;
  };
}
