/**
 * Search in SQLite. The index knows which rows contain a word, but before it returns the first one it collects all rows of
 * all words with the typed prefix: 70 ms for a word that each of a million rows has, 700 ms if each row has one of its own
 * (`visitor1`, `visitor2`, …). Common words are found faster by judging the newest rows one by one, rare ones by the index.
 * The first rows show which kind a word is. Each method continues where the one before it ended.
 */
import { lowestIdAt } from '../../../kernel/ids.js';
import { type FoundRow, maxPageBytes, type SearchQuery, type SqlValue } from '../engine.js';
import { inboxConditions, type Piece, submissionsOf } from '../submission-filter.js';
import type { SqliteConnection } from './connection.js';
import { anyLarge, largeMatching } from './pieces.js';
import type { Sifted } from './protocol.js';
import { matchText } from './search-index.js';

/** The rows that show how common a word is. If all of them match, they alone fill a page of 25. */
const firstRows = 64;
/** A word that fewer rows have costs the index less than 10 ms with a million rows. */
const commonShare = 0.1;
/** How much may be judged row by row before the index is queried for all words. */
const maxJudgedRows = 512;
const maxJudgedBytes = 256 * 1024;

/** Above all ids. */
const highestId = 'g';

type Row = Omit<FoundRow, 'bytes_so_far'>;

function wanted({ scope, filter }: SearchQuery): Piece {
  const conditions = ['form_id NOT IN (SELECT id FROM forms WHERE deleted_at IS NOT NULL)'];
  const params: SqlValue[] = [];
  const add = (condition: string, value: SqlValue) => {
    if (value === null) return;
    conditions.push(condition);
    params.push(value);
  };
  add('created_at >= ?', filter.since);
  add('created_at < ?', filter.until);
  add('webhook_state = ?', filter.webhookState);
  for (const condition of inboxConditions(scope, filter)) {
    conditions.push(condition.sql);
    params.push(...condition.params);
  }
  return { sql: conditions.join(' AND '), params };
}

/** CROSS JOIN makes SQLite walk the index newest first, so that it can stop after one page. */
const matching = `FROM submission_search CROSS JOIN submissions
  WHERE submissions.seq = submission_search.rowid AND submission_search MATCH ?
    AND submission_search.rowid >= ? AND submission_search.rowid < ?`;
const newestFirst = 'ORDER BY submission_search.rowid DESC LIMIT ?';

const ofOnePage = (rows: string): string => `SELECT * FROM (
    SELECT *, sum(length(data)) OVER (ORDER BY seq DESC) AS bytes_so_far FROM (${rows})
  ) WHERE bytes_so_far - length(data) < ${maxPageBytes} ORDER BY seq DESC`;

/** How many rows to judge so that probably enough of them match. */
const rowsFor = (missing: number, share: number): number =>
  Math.max(firstRows, Math.ceil((1.3 * missing) / share));

/** Large submissions are in an index of their own. `reader` returns the least busy reader. */
export async function search(
  reader: () => SqliteConnection,
  query: SearchQuery,
): Promise<readonly FoundRow[]> {
  const [found, large] = await Promise.all([searchWhole(reader(), query), searchLarge(reader(), query)]);
  return large.length === 0
    ? found
    : page(
        [...found, ...large].sort((a, b) => b.seq - a.seq),
        query.limit,
      );
}

async function searchLarge(reader: SqliteConnection, query: SearchQuery): Promise<readonly Row[]> {
  const any = anyLarge(query);
  if ((await reader.query(any.sql, any.params)).rows.length === 0) return [];
  const { sql, params } = wanted(query);
  const large = largeMatching(query);
  const { rows } = await reader.query(
    ofOnePage(`SELECT * FROM submissions WHERE seq IN (${large.sql}) AND ${sql} ORDER BY seq DESC LIMIT ?`),
    [...large.params, ...params, query.limit],
  );
  return rows as readonly Row[];
}

async function searchWhole(reader: SqliteConnection, query: SearchQuery): Promise<readonly FoundRow[]> {
  const { scope, filter, limit } = query;
  const { sql, params } = wanted(query);
  const found: Row[] = [];
  let below = query.beforeSeq ?? Number.MAX_SAFE_INTEGER;
  let from = 0;
  let rowsLeft = maxJudgedRows + 2 * limit;
  let bytesLeft = maxJudgedBytes;

  /** Continues with the rows that the index returns for these words, and judges each by all words of the search. */
  const judge = async (indexed: readonly string[], rows: number): Promise<Sifted & { isEnd: boolean }> => {
    const most = Math.min(rows, rowsLeft);
    const sifted = await reader.sift({
      sql: `SELECT submissions.*, ${sql} AS is_wanted ${matching} ${newestFirst}`,
      params: [...params, matchText(scope, indexed), from, below, most],
      match: matchText(scope, filter.words),
      tests: filter.words.map((word) => matchText(scope, [word])),
      maxBytes: bytesLeft,
    });
    found.push(...(sifted.rows as readonly Row[]));
    below = sifted.lastSeq ?? below;
    rowsLeft = sifted.isCut ? 0 : rowsLeft - sifted.judged;
    bytesLeft -= sifted.bytes;
    return { ...sifted, isEnd: !sifted.isCut && sifted.judged < most };
  };

  const first = await judge([], firstRows);
  if (first.isEnd || found.length >= limit) return page(found, limit);
  const shares = filter.words.map((_, index) => (first.passed[index] ?? 0) / Math.max(first.judged, 1));
  const rare = filter.words.filter((_, index) => (shares[index] ?? 0) < commonShare);
  if (rare.length === 0 && (filter.since !== null || filter.until !== null)) {
    const range = await seqRange(reader, query);
    from = range.from;
    below = Math.min(below, range.below);
  }
  const together = shares.filter((share) => share >= commonShare).reduce((all, share) => all * share, 1);
  while (rare.length < filter.words.length && rowsLeft > 0) {
    const { isEnd } = await judge(rare, rowsFor(limit - found.length, together));
    if (isEnd || found.length >= limit) return page(found, limit);
  }

  const { rows } = await reader.query(
    ofOnePage(`SELECT submissions.* ${matching} AND ${sql} ${newestFirst}`),
    [matchText(scope, filter.words), from, below, ...params, limit - found.length],
  );
  return page([...found, ...(rows as readonly Row[])], limit);
}

/**
 * The range of numbers of the rows in the time range. A common word has hits everywhere, so the index would return all those
 * outside of it first. Derived from the ids, which contain the time: that is exact even if the clock was set back, and it
 * reads only the index of the list, 0.1 µs per row of the range.
 */
async function seqRange(
  reader: SqliteConnection,
  { scope, filter }: SearchQuery,
): Promise<{ from: number; below: number }> {
  const own = submissionsOf(scope, filter);
  const { rows } = await reader.query(
    `SELECT min(seq) AS oldest, max(seq) AS newest FROM submissions WHERE ${own.sql} AND id >= ? AND id < ?`,
    [
      ...own.params,
      lowestIdAt(filter.since ?? 0),
      filter.until === null ? highestId : lowestIdAt(filter.until),
    ],
  );
  const { oldest, newest } = rows[0] as { oldest: number | null; newest: number | null };
  return { from: oldest ?? 0, below: (newest ?? -1) + 1 };
}

/** As many rows as requested, or as fit on a page. */
function page(found: readonly Row[], limit: number): readonly FoundRow[] {
  const rows: FoundRow[] = [];
  let bytes = 0;
  for (const row of found.slice(0, limit)) {
    if (bytes >= maxPageBytes) break;
    bytes += row.data.length;
    rows.push({ ...row, bytes_so_far: bytes });
  }
  return rows;
}
