/**
 * Rows in a Google Sheet. The first row of the sheet names the columns. Missing columns are added at its end. A normal
 * attempt is one request, because token and header are cached for a while.
 *
 * Invariants: an attempt that may have arrived never leads to a second row, because the next one first looks for the id
 * of the submission. No column is overwritten, not even when two processes add columns at the same time.
 */
import type { Clock } from '../../../kernel/clock.js';
import { Locks } from '../../../kernel/concurrency.js';
import { readServiceAccount } from '../../../kernel/service-account.js';
import type { DestinationOf } from '../../../model/destination.js';
import type { DestinationKind, Message, SendResult } from '../../../ports/destination-kind.js';
import type { Outbound } from '../../../ports/outbound.js';
import { createSheetCalls, type SheetCalls, Stopped } from './calls.js';
import { createIdSearches, type IdSearches } from './ids.js';
import {
  cellsOf,
  columnLetters,
  idColumn,
  missingColumns,
  readRow,
  rowOf,
  type SheetRow,
  trimmedName,
} from './row.js';
import { createGoogleTokens } from './token.js';

type Sheet = DestinationOf<'google_sheets'>;

export interface GoogleSheetsDeps {
  readonly outbound: Outbound;
  readonly clock: Clock;
  /** For all requests of one attempt together. */
  readonly timeoutMs: number;
  /** GOOGLE_API_URL. Null for Google itself. */
  readonly apiUrl: string | null;
}

/** An owner who moves a column sees rows in the old order for this long. */
const headerKeptMs = 10_000;
const maxHeadersKept = 1_000;
/** Each process that adds columns at the same time costs us one round. */
const maxRounds = 5;

export function createGoogleSheets(deps: GoogleSheetsDeps): DestinationKind<'google_sheets'> {
  const { outbound, clock, timeoutMs } = deps;
  const apiUrl = deps.apiUrl ?? 'https://sheets.googleapis.com';
  const tokenUrl = deps.apiUrl === null ? 'https://oauth2.googleapis.com/token' : `${deps.apiUrl}/token`;
  const tokens = createGoogleTokens({ outbound, clock, tokenUrl });
  const headers = createHeaders(clock);
  const searches = createIdSearches();

  return {
    originOf: () => new URL(apiUrl).origin,
    prepare: (event, { config }) => [
      {
        address: `${config.spreadsheet_id}/${config.sheet}`,
        body: event.once('google_sheets', () => JSON.stringify(rowOf(event))),
      },
    ],
    async send(message, destination) {
      const { config } = destination;
      const account = readServiceAccount(config.credentials);
      const calls = createSheetCalls({ outbound, clock, tokens, apiUrl, timeoutMs }, account, config);
      try {
        return await sendRow(message, destination, { calls, headers, searches });
      } catch (error) {
        if (error instanceof Stopped) return error.result;
        throw error;
      }
    },
  };
}

async function sendRow(
  { body, submissionId, isRepeated }: Message,
  { id, config }: Sheet,
  { calls, headers, searches }: { calls: SheetCalls; headers: Headers; searches: IdSearches },
): Promise<SendResult> {
  const row = readRow(body);
  const key = JSON.stringify([id, config.spreadsheet_id, config.sheet]);
  const header = await headers.fitting(key, row, calls);
  if (isRepeated) {
    const column = columnLetters(header.indexOf(idColumn));
    const found = await searches.find(JSON.stringify([key, column]), submissionId, calls, column);
    if (found !== null) return found;
  }
  return calls.append(cellsOf(row, header));
}

interface Headers {
  /** Resolves with the column names, including all that the row needs. Adds missing columns. */
  fitting(key: string, row: SheetRow, calls: SheetCalls): Promise<readonly string[]>;
}

function createHeaders(clock: Clock): Headers {
  const kept = new Map<string, { readonly names: readonly string[]; readonly until: number }>();
  const locks = new Locks();

  const known = (key: string, row: SheetRow): readonly string[] | null => {
    const entry = kept.get(key);
    const isUsable = entry !== undefined && entry.until > clock.now();
    return isUsable && missingColumns(row, entry.names).length === 0 ? entry.names : null;
  };

  return {
    fitting: async (key, row, calls) =>
      known(key, row) ??
      // One at a time: the attempts that waited find what the first one read.
      locks.take(key, async () => {
        const found = known(key, row);
        if (found !== null) return found;
        const readAt = clock.now();
        const names = await extendedHeader(row, calls);
        if (kept.size >= maxHeadersKept) kept.clear();
        kept.set(key, { names, until: readAt + headerKeptMs });
        return names;
      }),
  };
}

/** Returns the header with the columns that the row needs. If another process has added columns, it is read again. */
async function extendedHeader(row: SheetRow, calls: SheetCalls): Promise<readonly string[]> {
  let before: string | null = null;
  for (let round = 0; round < maxRounds; round += 1) {
    const header = (await calls.readHeader()).map(trimmedName);
    const missing = missingColumns(row, header);
    if (missing.length === 0) return header;
    // Rows are appended to the table that contains cell A1. If A1 is empty, they would start at another column.
    if (header.length > 0 && header[0] === '')
      throw calls.stopped('Cell A1 of the sheet is empty: write a heading into it');
    const seen = JSON.stringify(header);
    // Unchanged since the last round: the mark is left over from an earlier, identical header, not from a concurrent change.
    const isMarkReplaced = seen === before;
    const isAdded = await calls.addColumns(header, missing, { isMarkReplaced });
    if (isAdded) return [...header, ...missing];
    before = seen;
  }
  throw calls.stopped('The columns of the sheet were changed by others at the same time');
}
