/**
 * Large submissions in the search index: split into pieces, each a row of its own, so that other writers wait for one
 * piece at most. A piece ends between two words, and a search combines words from different pieces, so it finds the same
 * as if the submission were one row.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { SearchQuery, SqlValue } from '../engine.js';
import type { Schema } from '../schema.js';
import { matchText, scopeColumn, wordsColumn } from './search-index.js';

/** What one step adds to the index: about 5 ms if the words are all different, 16 ms if they are also as short as possible. */
export const maxStepBytes = 32 * 1024;
/** 1.3 µs each, when all are different. */
const maxPieceWords = 4_000;

/**
 * Per submission: text beyond this is not searchable. A mebibyte of short words took half a second, so one visitor within the
 * rate limit could make all searches wait for the index.
 */
const maxIndexedLength = 128 * 1024;

/** As bytes: a text would end at its first NUL character. */
export const wordBytes = `CAST(${wordsColumn} AS BLOB)`;

export function indexedWords(bytes: Uint8Array | null): string {
  const words = Buffer.from(bytes ?? [])
    .toString()
    .replaceAll('\0', ' ');
  if (words.length <= maxIndexedLength) return words;
  const end = words.lastIndexOf(' ', maxIndexedLength);
  return words.slice(0, end > 0 ? end : maxIndexedLength);
}

/** More than the longest text of a submission, and small enough that a `seq` of two billion still fits. */
const placesPerRow = 2 ** 24;
const lastSeq = 2 ** 31 - 1;

/**
 * What the tokenizer treats as the space between words: at least the first pattern, at most the second. It uses an older
 * Unicode version than we do, so the rest is uncertain.
 */
export const surelyParting = /[\s!-/:-@[-`{-~、。，]+/u;
// The vowels of New Tai Lue and two signs of the Vedas have become letters since.
export const perhapsParting = /(?:[^\p{L}\p{N}\p{Co}]|[\u19b0-\u19c9\u1cf2\u1cf3])+/gu;

/**
 * Where the piece that begins at `from` ends: after a whole word. Text that is as long as a piece and has no space, comma or
 * full stop at all is cut where a word may end.
 */
export function endOfPiece(words: string, from: number): number {
  let end = from;
  perhapsParting.lastIndex = from;
  for (let count = 0; count < maxPieceWords && end - from < maxStepBytes; count += 1) {
    if (!perhapsParting.test(words)) return words.length;
    end = perhapsParting.lastIndex;
  }
  const rest = words.slice(end - 1, end + maxStepBytes);
  const parted = surelyParting.exec(rest);
  if (parted) return end - 1 + parted.index + parted[0].length;
  return end + maxStepBytes < words.length ? end : words.length;
}

const isNext = 'indexed_seq < ?1 AND ?2 = CASE partial_seq WHEN ?1 THEN partial_length ELSE 0 END';
/** Takes the seq, where the piece begins, and its words. Does nothing if the submission was deleted meanwhile. */
export const insertPiece = `INSERT INTO submission_search_pieces (rowid, scope, words)
  SELECT ?1 * ${placesPerRow} + ?2, ${scopeColumn}, ?3 FROM submissions CROSS JOIN search_progress
  WHERE seq = ?1 AND ${isNext}`;
/** Takes the seq, where the piece begins and ends, and whether it was the last one. */
export const notePiece = `UPDATE search_progress SET partial_seq = ?1, partial_length = ?3,
    indexed_seq = CASE WHEN ?4 THEN ?1 ELSE indexed_seq END
  WHERE ${isNext}`;

/** Adds all pieces of a submission that was indexed before. */
export async function putPieces(db: Kysely<Schema>, seq: number, words: string): Promise<void> {
  for (let from = 0; from < words.length; ) {
    const end = endOfPiece(words, from);
    await sql`INSERT INTO submission_search_pieces (rowid, scope, words)
      SELECT seq * ${sql.lit(placesPerRow)} + ${from}, ${sql.raw(scopeColumn)}, ${words.slice(from, end)}
      FROM submissions WHERE seq = ${seq}`.execute(db);
    from = end;
  }
}

/** The index rows of the pieces of the submissions whose `seq` this query returns. */
export const piecesOf = (submissions: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`SELECT submission_search_pieces.rowid FROM (${submissions}) AS whole CROSS JOIN submission_search_pieces
    WHERE submission_search_pieces.rowid >= whole.seq * ${sql.lit(placesPerRow)}
      AND submission_search_pieces.rowid < (whole.seq + 1) * ${sql.lit(placesPerRow)}`;

/** Whether the scope has any before `beforeSeq`: most forms have none, and a search for words reads those of all forms. */
export const anyLarge = ({
  scope,
  beforeSeq,
}: SearchQuery): {
  readonly sql: string;
  readonly params: readonly SqlValue[];
} => ({
  sql: `SELECT 1 FROM submission_search_pieces WHERE submission_search_pieces MATCH ?
    AND rowid < ? * ${placesPerRow} LIMIT 1`,
  params: [matchText(scope, []), Math.min(beforeSeq ?? lastSeq, lastSeq)],
});

/** The numbers of the large submissions that have all words, each in any of their pieces. */
export function largeMatching({ scope, filter, beforeSeq }: SearchQuery): {
  readonly sql: string;
  readonly params: readonly SqlValue[];
} {
  const one = `SELECT rowid / ${placesPerRow} AS seq FROM submission_search_pieces
    WHERE submission_search_pieces MATCH ? AND rowid < ? * ${placesPerRow}`;
  const below = Math.min(beforeSeq ?? lastSeq, lastSeq);
  return {
    sql: filter.words.map(() => one).join(' INTERSECT '),
    params: filter.words.flatMap((word) => [matchText(scope, [word]), below]),
  };
}
