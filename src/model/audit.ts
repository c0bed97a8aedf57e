/** The audit log: who did what, when and from where, chained so that a change to an old entry is detected. */
import { randomBytes } from 'node:crypto';
import type { ActorKind, AuditAction } from '../contract/audit.js';
import { sha256Hex } from '../kernel/secrets.js';

/** Who acts, with a readable name as it was at that time. */
export interface Actor {
  readonly kind: ActorKind;
  readonly id: string | null;
  readonly name: string;
  readonly address: string | null;
  readonly userAgent: string | null;
}

export const nowhere = { address: null, userAgent: null } as const;

export const keyActor = (key: { readonly id: string; readonly name: string }): Actor => ({
  ...{ kind: 'key', id: key.id, name: key.name },
  ...nowhere,
});
export const userActor = (user: { readonly id: string; readonly email: string }): Actor => ({
  ...{ kind: 'user', id: user.id, name: user.email },
  ...nowhere,
});
/** An operator who runs commands on the machine. Commands do not ask for a name. */
export const commandLine: Actor = { kind: 'cli', id: null, name: 'Command line', ...nowhere };
/** The service itself, for example at its first start. */
export const theSystem: Actor = { kind: 'system', id: null, name: 'Inlet', ...nowhere };
/** Anyone who has the link to a file. */
export const linkHolder: Actor = { kind: 'link', id: null, name: 'File link', ...nowhere };

/** On whose behalf an event is recorded. A `Principal` is one. */
export interface Recorder {
  readonly accountId: string;
  readonly actor: Actor;
}

/** The object of an action. */
export interface AuditObject {
  readonly kind: string;
  /** null: many objects, such as a list of the whole account. */
  readonly id: string | null;
  readonly name?: string | null;
}

/** Fields that can be blanked when a person is erased. Their order is part of the hash. */
const erasable = ['actorName', 'address', 'userAgent', 'objectName', 'beforeValues', 'afterValues'] as const;
type Erasable = (typeof erasable)[number];

/** An event to record. `beforeValues` and `afterValues` are JSON objects as text. */
export interface AuditEvent extends Readonly<Record<Erasable, string | null>> {
  readonly accountId: string;
  readonly action: AuditAction;
  readonly actorKind: ActorKind;
  readonly actorId: string | null;
  readonly objectKind: string;
  readonly objectId: string | null;
}

export interface AuditEntry extends AuditEvent {
  /** Counts from 1 in each account, without gaps. */
  readonly seq: number;
  readonly at: number;
  /** JSON lists in the order of `erasable`, with null where there is no value. An erased value has a digest but no salt. */
  readonly salts: string;
  readonly digests: string;
  readonly previousHash: string;
  readonly hash: string;
}

/** Where a chain ends, or starts again after its oldest entries were removed. */
export interface ChainPlace {
  readonly seq: number;
  readonly hash: string;
}

/** A keyed hash: anyone who can write to the database but does not have the secret cannot compute it. */
export type Mac = (text: string) => string;

export const chainStart = (accountId: string, mac: Mac): ChainPlace => ({
  seq: 0,
  hash: mac(`audit chain of ${accountId}`),
});

/** The salt is deleted together with the value, so that an erased value cannot be found by brute force. */
const digestOf = (salt: string, value: string): string => sha256Hex(`${salt}\n${value}`);

const hashOf = (entry: Omit<AuditEntry, 'hash'>, mac: Mac): string =>
  mac(
    JSON.stringify([
      ...['inlet audit 1', entry.seq, entry.previousHash, entry.accountId, entry.at, entry.action],
      ...[entry.actorKind, entry.actorId, entry.objectKind, entry.objectId, entry.digests],
    ]),
  );

/** The event as the next entry of its chain. */
export function linked(event: AuditEvent, at: number, after: ChainPlace, mac: Mac): AuditEntry {
  const salts = erasable.map((field) =>
    event[field] === null ? null : randomBytes(12).toString('base64url'),
  );
  const digests = erasable.map((field, place) => {
    const [salt, value] = [salts[place] ?? null, event[field]];
    return salt === null || value === null ? null : digestOf(salt, value);
  });
  const entry = {
    ...event,
    seq: after.seq + 1,
    at,
    salts: JSON.stringify(salts),
    digests: JSON.stringify(digests),
    previousHash: after.hash,
  };
  return { ...entry, hash: hashOf(entry, mac) };
}

type Texts = readonly (string | null)[];
const listIn = (text: string): Texts => {
  const list: unknown = JSON.parse(text);
  return Array.isArray(list) ? list : [];
};

/** Returns what is wrong with an entry that should follow `after`, or null when nothing is. */
export function faultOf(entry: AuditEntry, after: ChainPlace, mac: Mac): string | null {
  if (entry.seq !== after.seq + 1) return 'entries before it are missing';
  if (entry.previousHash !== after.hash) return 'it does not follow the entry before it';
  if (entry.hash !== hashOf(entry, mac)) return 'it was changed';
  const [salts, digests] = [listIn(entry.salts), listIn(entry.digests)];
  const isTrue = erasable.every((field, place) => {
    const [salt, digest, value] = [salts[place] ?? null, digests[place] ?? null, entry[field]];
    if (salt === null) return value === null;
    return value !== null && digest === digestOf(salt, value);
  });
  return isTrue ? null : 'a value in it was changed';
}

/** Whether any value of the entry was erased. */
export const isErased = ({ salts, digests }: Pick<AuditEntry, 'salts' | 'digests'>): boolean => {
  const known = listIn(salts);
  return listIn(digests).some((digest, place) => digest !== null && (known[place] ?? null) === null);
};

/** Returns the entry's values without those that match `isMeant`, or null when none match. */
export function withoutValues(
  entry: AuditEntry,
  isMeant: (text: string) => boolean,
): (Readonly<Record<Erasable, string | null>> & Pick<AuditEntry, 'salts'>) | null {
  const meant = erasable.filter((field) => {
    const value = entry[field];
    return value !== null && isMeant(value);
  });
  if (meant.length === 0) return null;
  const isKept = (field: Erasable) => !meant.includes(field);
  const kept = Object.fromEntries(erasable.map((field) => [field, isKept(field) ? entry[field] : null]));
  const salts = listIn(entry.salts).map((salt, place) => {
    const field = erasable[place];
    return field && isKept(field) ? salt : null;
  });
  return { ...(kept as Record<Erasable, string | null>), salts: JSON.stringify(salts) };
}
