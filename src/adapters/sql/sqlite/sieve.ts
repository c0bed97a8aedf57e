/**
 * Judges rows by their words without the search index: they are added to an otherwise empty index of the same kind, in
 * memory, and that one is queried. So a row passes here if and only if the real index would find it.
 * It takes about 5 µs per row.
 */
import { DatabaseSync } from '@photostructure/sqlite';
import type { Sifted, SiftRequest } from './protocol.js';
import { indexedColumns, tokenizer } from './search-index.js';

export interface Sieve {
  sift(rows: Iterable<unknown>, request: Pick<SiftRequest, 'match' | 'tests' | 'maxBytes'>): Sifted;
  close(): void;
}

interface Judgeable {
  readonly seq: number;
  readonly form_id: string;
  readonly project_id: string;
  readonly data: string;
  readonly is_wanted: number | null;
}

export function createSieve(): Sieve {
  const db = new DatabaseSync(':memory:');
  db.exec(`CREATE VIRTUAL TABLE judged USING fts5 (scope, words, content='', tokenize='${tokenizer}')`);
  // All in one statement, in ascending order: rows one by one take eight times as long, and the index would
  // flush before each row that follows a higher one.
  const put = db.prepare(
    `INSERT INTO judged (rowid, scope, words) SELECT seq, ${indexedColumns} FROM (
       SELECT value ->> 0 AS seq, value ->> 1 AS form_id, value ->> 2 AS project_id, value ->> 3 AS data FROM json_each(?)
     )`,
  );
  const matching = db.prepare('SELECT rowid AS seq FROM judged WHERE judged MATCH ?');
  const counting = db.prepare('SELECT count(*) AS count FROM judged WHERE judged MATCH ?');

  return {
    sift(rows, { match, tests, maxBytes }) {
      const judged: Judgeable[] = [];
      let bytes = 0;
      let isCut = false;
      for (const row of rows as Iterable<Judgeable>) {
        isCut = bytes + row.data.length > maxBytes;
        if (isCut) break;
        bytes += row.data.length;
        judged.push(row);
      }
      const rising = [...judged].sort((a, b) => a.seq - b.seq);
      db.exec('BEGIN');
      try {
        put.run(JSON.stringify(rising.map((row) => [row.seq, row.form_id, row.project_id, row.data])));
        const passing = new Set(matching.all(match).map((row) => (row as { seq: number }).seq));
        return {
          rows: judged.filter((row) => row.is_wanted && passing.has(row.seq)),
          judged: judged.length,
          bytes,
          passed: tests.map((test) => (counting.get(test) as { count: number }).count),
          lastSeq: judged.at(-1)?.seq ?? null,
          isCut,
        };
      } finally {
        // Empties the index again, also after a failure.
        db.exec('ROLLBACK');
      }
    },
    close: () => db.close(),
  };
}
