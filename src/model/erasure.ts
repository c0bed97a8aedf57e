/** Erasing a person: what is looked through, how far it has come, and the receipt. */
import type { PersonKey } from './person.js';

/**
 * Where personal data can be, in the order in which it is erased. A submission that holds the person goes whole, with its files,
 * deliveries and notes, so most is gone when the others are looked through. Another table that may hold a person gets a name here,
 * a row in `places` (rows/persons.ts), and, if its row is not simply deleted, what becomes of it in rows/erasures.ts.
 */
export const personPlaces = [
  'submissions',
  'files',
  'confirmations',
  'quarantine',
  'deliveries',
  'attempts',
  'mails',
  'notes',
  'idempotency_results',
  'rejections',
  'suppressed_addresses',
  'replays',
  'views',
  'fields',
  'destination_errors',
] as const;
export type PersonPlace = (typeof personPlaces)[number];

export type PlaceCounts = Readonly<Partial<Record<PersonPlace, number>>>;

/**
 * `rows`: the places one after the other. `late`: once more what may have been committed meanwhile, although it was submitted
 * before. `files`: bytes. `traces`: what deleted rows leave in the files of the database.
 */
export type ErasureStage = 'rows' | 'late' | 'files' | 'traces' | 'finished';

export interface Erasure {
  readonly id: string;
  readonly accountId: string;
  /** By keyed hashes: whom it is about is not kept. */
  readonly key: PersonKey;
  /** The keyed hash of all of it, for the receipt. */
  readonly personHash: string;
  /** What was asked for, while it is needed; null: it has ended, or goes by the hashes after a restore. */
  readonly q: string | null;
  readonly stage: ErasureStage;
  /** Where it is looked through next, and the last row that was. */
  readonly place: PersonPlace;
  readonly after: string;
  readonly counts: PlaceCounts;
  readonly filesRemoved: number;
  readonly createdAt: number;
  readonly finishedAt: number | null;
}

/** What is kept beside the database of an erasure, so that a database that is restored does it again. */
export type Tombstone = Pick<Erasure, 'id' | 'accountId' | 'key' | 'personHash' | 'createdAt'>;

export const erasedText = '[erased]';
