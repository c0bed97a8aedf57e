/** The audit log: who did what, when and from where, chained so that a change to an old entry is noticed. */
import { randomBytes } from 'node:crypto';
import type { ActorKind, AuditAction } from '../contract/audit.js';
import { sha256Hex } from '../kernel/secrets.js';

/** Who acts, with a name that people recognise, as it was at that time. Made by the gate and by the command line alone. */
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
/** Who runs commands on the machine: nobody asks them for a name. */
export const commandLine: Actor = { kind: 'cli', id: null, name: 'Command line', ...nowhere };
/** The service itself, such as at its first start. */
export const theSystem: Actor = { kind: 'system', id: null, name: 'Inlet', ...nowhere };
/** Anyone who has the link of a file. */
export const linkHolder: Actor = { kind: 'link', id: null, name: 'File link', ...nowhere };

/** On whose behalf something is recorded. A principal is one. */
export interface Recorder {
  readonly accountId: string;
  readonly actor: Actor;
}

/** What it was done to. */
export interface AuditObject {
  readonly kind: string;
  /** null: it is about many, such as a list of the whole account. */
  readonly id: string | null;
  readonly name?: string | null;
}

/** What can be blanked when a person is erased. The order is part of the hash. */
const erasable = ['actorName', 'address', 'userAgent', 'objectName', 'beforeValues', 'afterValues'] as const;
type Erasable = (typeof erasable)[number];

/** What is to be recorded. The values are texts, `beforeValues` and `afterValues` JSON objects. */
export interface AuditEvent extends Readonly<Record<Erasable, string | null>> {
  readonly accountId: string;
  readonly action: AuditAction;
  readonly actorKind: ActorKind;
  readonly actorId: string | null;
  readonly objectKind: string;
  readonly objectId: string | null;
}

export interface AuditEntry extends AuditEvent {
  /** From 1, without gaps, by account. */
  readonly seq: number;
  readonly at: number;
  /** JSON lists in the order of `erasable`: null where there is no value. An erased value has a digest and no salt. */
  readonly salts: string;
  readonly digests: string;
  readonly previousHash: string;
  readonly hash: string;
}

/** Where a chain ends, or begins again after its oldest entries were removed. */
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

/** With the salt, which goes when the value goes: nobody can find out an erased value by trying. */
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

/** What is wrong with an entry that should follow that place; null: nothing. */
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

/** Whether some value of it was erased. */
export const isErased = ({ salts, digests }: Pick<AuditEntry, 'salts' | 'digests'>): boolean => {
  const known = listIn(salts);
  return listIn(digests).some((digest, place) => digest !== null && (known[place] ?? null) === null);
};

/** The values of the entry without those that the test finds; null: it finds none. */
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
