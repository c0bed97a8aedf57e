/** Erasing a person: what is searched, the progress, and the receipt. */
import type { PersonKey } from './person.js';

/**
 * Where personal data can be, in the order in which it is erased. A submission that contains the person is deleted with its
 * files, deliveries and notes, so most data is already deleted when the other places are searched. A new table that can contain
 * personal data needs a name here, a row in `places` (rows/persons.ts), and, unless its rows are deleted, a rule in rows/erasures.ts.
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
 * `rows`: the places one after the other. `late`: again, for what was submitted before but may have been committed in the
 * meantime. `files`: bytes. `traces`: what deleted rows leave in the database files.
 */
export type ErasureStage = 'rows' | 'late' | 'files' | 'traces' | 'finished';

export interface Erasure {
  readonly id: string;
  readonly accountId: string;
  /** Keyed hashes only: the person is not stored. */
  readonly key: PersonKey;
  /** The keyed hash of the whole key, for the receipt. */
  readonly personHash: string;
  /** The search text, while it is needed. null: the erasure has ended, or uses the hashes after a restore. */
  readonly q: string | null;
  readonly stage: ErasureStage;
  /** The place that is searched next, and the last row that was searched there. */
  readonly place: PersonPlace;
  readonly after: string;
  readonly counts: PlaceCounts;
  readonly filesRemoved: number;
  readonly createdAt: number;
  readonly finishedAt: number | null;
}

/** What is stored outside the database, so that the erasure is repeated after the database is restored. */
export type Tombstone = Pick<Erasure, 'id' | 'accountId' | 'key' | 'personHash' | 'createdAt'>;

export const erasedText = '[erased]';
