/**
 * Devices that signed in before. A device presents a cookie with one entry per user who signed in on it: a random id, an
 * expiry, and an HMAC over both, the user and their password hash. No row is stored, and a new password makes every device
 * unknown again. The cookie does not replace the password.
 */
import type { Clock } from '../../kernel/clock.js';
import { hmacBase64Url, randomText, sameSecret } from '../../kernel/secrets.js';
import type { StoredUser } from '../../ports/accounts.js';

export const deviceLifeMs = 180 * 24 * 60 * 60_000;
/** How many users are remembered per browser. */
const maxEntries = 4;
const entryShape = /^([0-9A-Za-z]{22})\.([0-9a-z]{1,11})\.([\w-]{43})$/;
const maxCookieLength = maxEntries * 90;

export interface KnownDevice {
  readonly id: string;
  readonly userId: string;
}

export interface Devices {
  /** The users among these who signed in on the device with this cookie, most recent first. */
  find(cookie: string | null, users: readonly StoredUser[]): readonly KnownDevice[];
  /** Returns the new cookie, with `who` added or renewed. */
  remember(cookie: string | null, who: StoredUser): string;
}

export function createDevices({ key, clock }: { key: Buffer; clock: Clock }): Devices {
  const sign = ({ user, passwordHash }: StoredUser, id: string, expiry: string): string =>
    hmacBase64Url(key, `${user.id}\n${id}\n${expiry}\n${passwordHash}`);

  const entriesOf = (cookie: string | null): string[] =>
    cookie === null || cookie.length > maxCookieLength ? [] : cookie.split('~').slice(0, maxEntries);

  /** Returns the device id if the entry belongs to this user and has not expired. */
  const idIn = (entry: string, who: StoredUser): string | null => {
    const [, id = '', expiry = '', signature = ''] = entryShape.exec(entry) ?? [];
    const isOurs = id !== '' && sameSecret(signature, sign(who, id, expiry));
    return isOurs && Number.parseInt(expiry, 36) > clock.now() ? id : null;
  };

  return {
    find(cookie, users) {
      return entriesOf(cookie).flatMap((entry) =>
        users.flatMap((who) => {
          const id = idIn(entry, who);
          return id === null ? [] : [{ id, userId: who.user.id }];
        }),
      );
    },
    remember(cookie, who) {
      const entries = entriesOf(cookie);
      const known = entries.find((entry) => idIn(entry, who) !== null);
      const id = (known !== undefined && idIn(known, who)) || randomText(22);
      const expiry = Math.floor(clock.now() + deviceLifeMs).toString(36);
      const others = entries.filter((entry) => entry !== known && entryShape.test(entry));
      return [`${id}.${expiry}.${sign(who, id, expiry)}`, ...others].slice(0, maxEntries).join('~');
    },
  };
}
