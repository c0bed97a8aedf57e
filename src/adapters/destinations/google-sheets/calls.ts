/** The requests of one attempt to the Sheets API: all within its timeout, each with the account's token. */
import { createHash } from 'node:crypto';
import type { GoogleSheetsConfig } from '../../../contract/destination.js';
import type { Clock } from '../../../kernel/clock.js';
import { isRecord, parsedRecord, type ServiceAccount } from '../../../kernel/service-account.js';
import type { SendResult } from '../../../ports/destination-kind.js';
import type { Outbound, OutboundRequest, OutboundResult } from '../../../ports/outbound.js';
import { type HttpCall, judgeResult, retryAfterMs, sendResultOf } from '../http-call.js';
import { explainRefusal, explainTokenRefusal } from './errors.js';
import { rangeIn } from './row.js';
import type { GoogleTokens } from './token.js';

export interface ColumnPage {
  /** The cells, as JSON. */
  readonly text: string;
  /** How many of them are complete. */
  readonly rows: number;
  /** True when no more cells follow. */
  readonly isWhole: boolean;
  /** The attempt's result if the id is on this page. */
  readonly result: SendResult;
}

export interface Grid {
  readonly sheetId: number;
  readonly rows: number;
  readonly columns: number;
}

/** The requests reject with `Stopped` when the attempt has ended. */
export interface SheetCalls {
  readHeader(): Promise<readonly string[]>;
  grid(): Promise<Grid>;
  /** Resolves with false if another process added columns to this header, now or before the header was changed back to it. */
  addColumns(header: readonly string[], names: readonly string[], more: AddColumns): Promise<boolean>;
  readColumn(letters: string, fromRow: number): Promise<ColumnPage>;
  append(cells: readonly (string | null)[]): Promise<SendResult>;
  stopped(why: string): Stopped;
}

export interface AddColumns {
  /** Replaces an existing mark for the same header. */
  readonly isMarkReplaced: boolean;
}

/** The end of an attempt that did not succeed. */
export class Stopped extends Error {
  constructor(readonly result: SendResult) {
    super(result.error ?? 'stopped');
  }
}

export interface SheetCallsDeps {
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly tokens: GoogleTokens;
  readonly apiUrl: string;
  readonly timeoutMs: number;
}

interface Call extends Pick<OutboundRequest, 'maxResponseBytes' | 'isSentOnce'> {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
}

interface Exchange {
  readonly call: HttpCall;
  readonly result: OutboundResult;
}

const maxHeaderBytes = 1024 * 1024;
const maxGridBytes = 256 * 1024;
/** About 27,000 ids. The HTTP client allows 3 s for a body. */
const maxPageBytes = 1024 * 1024;
const maxShownChars = 4096;
const markKey = 'inlet_columns';

const nothingYet = (url: string): Exchange => ({
  call: { method: 'POST', url, headers: {}, body: '', secrets: [] },
  result: {
    status: null,
    fault: null,
    detail: null,
    retryAfter: null,
    responseHeaders: null,
    response: null,
    remoteAddress: null,
    timings: { dnsMs: null, connectMs: null, firstByteMs: null, totalMs: 0 },
  },
});

const isOk = ({ status }: OutboundResult): boolean => status !== null && status >= 200 && status < 300;

export function createSheetCalls(
  deps: SheetCallsDeps,
  account: ServiceAccount | string,
  config: GoogleSheetsConfig,
): SheetCalls {
  const { outbound, clock, tokens, apiUrl, timeoutMs } = deps;
  const startedAt = performance.now();
  const spreadsheet = `/v4/spreadsheets/${config.spreadsheet_id}`;
  const values = (range: string): string => `${spreadsheet}/values/${rangeIn(config.sheet, range)}`;
  let last = nothingYet(apiUrl + spreadsheet);

  const resultOf = ({ call, result }: Exchange, words: string | null): SendResult => {
    const shown = { ...result, response: result.response?.slice(0, maxShownChars) ?? null };
    const said =
      words === null
        ? null
        : {
            end: 'failed' as const,
            error: words,
            retryAfterMs: retryAfterMs(result.retryAfter, clock.now()),
          };
    return {
      ...sendResultOf(
        call,
        shown,
        judgeResult(shown, () => said, clock.now()),
      ),
      durationMs: Math.round(performance.now() - startedAt),
    };
  };
  /** For reasons other than a missing response: the attempt does not count as unresponsive. */
  const stopped = (why: string): Stopped =>
    new Stopped({ ...resultOf(last, null), end: 'failed', error: why, isUnresponsive: false });

  const remainingMs = (): number => {
    const ms = Math.ceil(timeoutMs - (performance.now() - startedAt));
    if (ms > 0) return ms;
    const late = { fault: 'timeout', detail: 'Google did not respond to all requests in time' } as const;
    throw new Stopped(resultOf({ ...last, result: { ...last.result, status: null, ...late } }, null));
  };

  const tokenOf = async (known: ServiceAccount): Promise<string> => {
    const got = await tokens.get(known, remainingMs());
    if (got.token !== null) return got.token;
    if ('unusable' in got) throw stopped(`credentials: The key file ${got.unusable}`);
    last = got;
    throw new Stopped(resultOf(got, explainTokenRefusal(got.result)));
  };

  const send = async ({ path, body, method, ...more }: Call): Promise<Exchange> => {
    if (typeof account === 'string') throw stopped(`credentials: The key file ${account}`);
    const token = await tokenOf(account);
    const request = {
      method,
      url: apiUrl + path,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? '' : JSON.stringify(body),
    };
    const result = await outbound.send({ ...request, ...more, timeoutMs: remainingMs() });
    if (result.status === 401) tokens.forget(account, token);
    last = { call: { ...request, secrets: [token, account.privateKey] }, result };
    return last;
  };
  const refused = (exchange: Exchange): Stopped =>
    new Stopped(
      resultOf(
        exchange,
        explainRefusal(exchange.result, config, typeof account === 'string' ? '' : account.clientEmail),
      ),
    );
  const succeeded = async (call: Call): Promise<Exchange> => {
    const exchange = await send(call);
    if (isOk(exchange.result)) return exchange;
    throw refused(exchange);
  };
  const read = async (path: string, maxResponseBytes: number): Promise<Readonly<Record<string, unknown>>> => {
    const { result } = await succeeded({ method: 'GET', path, maxResponseBytes });
    const content = parsedRecord(result.response ?? '');
    if (content === null) throw stopped('invalid_response: The response of Google was incomplete or no JSON');
    return content;
  };

  const grid = async (): Promise<Grid> => {
    const fields = 'sheets.properties(sheetId,title,gridProperties(rowCount,columnCount))';
    const { sheets } = await read(`${spreadsheet}?fields=${encodeURIComponent(fields)}`, maxGridBytes);
    const found = gridOf(sheets, config.sheet);
    if (found === null) throw stopped(`sheet: There is no sheet called “${config.sheet}” in the spreadsheet`);
    return found;
  };

  return {
    stopped: (why) => stopped(`sheet: ${why}`),
    grid,
    async readHeader() {
      const { values: rows } = await read(`${values('1:1')}?fields=values&prettyPrint=false`, maxHeaderBytes);
      const [names] = Array.isArray(rows) ? rows : [];
      return Array.isArray(names) ? names.map(String) : [];
    },
    async addColumns(header, names, { isMarkReplaced }) {
      const { sheetId, columns } = await grid();
      const requests = columnRequests({ sheetId, columns, header, names, isMarkReplaced });
      const exchange = await send({
        method: 'POST',
        path: `${spreadsheet}:batchUpdate?fields=spreadsheetId`,
        body: { requests },
      });
      if (isOk(exchange.result)) return true;
      if (exchange.result.status === 400 && !isMarkReplaced) return false;
      throw refused(exchange);
    },
    async readColumn(letters, fromRow) {
      const path = `${values(`${letters}${fromRow}:${letters}`)}?majorDimension=COLUMNS&fields=values&prettyPrint=false`;
      const exchange = await succeeded({ method: 'GET', path, maxResponseBytes: maxPageBytes });
      const text = exchange.result.response ?? '';
      const result = resultOf(
        { ...exchange, result: { ...exchange.result, response: 'The row is already there.' } },
        null,
      );
      // Cells are JSON strings after the member's name. If the body was cut off, the last cell is incomplete and is read again.
      const rows = Math.max(0, wholeTexts(text) - 1);
      return { text, rows, isWhole: parsedRecord(text) !== null, result };
    },
    async append(cells) {
      const query = 'valueInputOption=RAW&insertDataOption=INSERT_ROWS&fields=updates.updatedRange';
      const exchange = await succeeded({
        method: 'POST',
        path: `${values('A1')}:append?${query}`,
        body: { majorDimension: 'ROWS', values: [cells] },
        isSentOnce: true,
      });
      return resultOf(exchange, null);
    },
  };
}

/** Counts the complete JSON strings. One that is cut off does not count. */
function wholeTexts(json: string): number {
  let quotes = 0;
  for (const [token] of json.matchAll(/\\.|"/gs)) if (token === '"') quotes += 1;
  return Math.floor(quotes / 2);
}

function gridOf(sheets: unknown, title: string): Grid | null {
  for (const sheet of Array.isArray(sheets) ? sheets : []) {
    const properties: unknown = isRecord(sheet) ? sheet.properties : null;
    if (!isRecord(properties) || !isRecord(properties.gridProperties)) continue;
    // Ranges also match sheet names case-insensitively.
    if (String(properties.title).toLowerCase() !== title.toLowerCase()) continue;
    const { rowCount, columnCount } = properties.gridProperties;
    // Google omits numbers that are 0.
    return {
      sheetId: Number(properties.sheetId ?? 0),
      rows: Number(rowCount ?? 0),
      columns: Number(columnCount ?? 0),
    };
  }
  return null;
}

/**
 * Google applies the batch all or nothing. The mark's id is derived from the header that we read, and ids are unique in a
 * spreadsheet: of two processes that read the same header, one fails.
 */
function columnRequests(of: {
  readonly sheetId: number;
  readonly columns: number;
  readonly header: readonly string[];
  readonly names: readonly string[];
  readonly isMarkReplaced: boolean;
}): readonly unknown[] {
  const { sheetId, columns, header, names, isMarkReplaced } = of;
  const hash = createHash('sha256')
    .update(JSON.stringify([sheetId, header]))
    .digest()
    .readUInt32BE(0);
  const metadataId = (hash % 0x7fff_fffe) + 1;
  const mark = { metadataId, metadataKey: markKey, location: { sheetId }, visibility: 'DOCUMENT' };
  const lacking = header.length + names.length - columns;
  const cells = names.map((stringValue) => ({ userEnteredValue: { stringValue } }));
  const replaced = { developerMetadataLookup: { metadataId, metadataKey: markKey } };
  return [
    ...(isMarkReplaced ? [{ deleteDeveloperMetadata: { dataFilter: replaced } }] : []),
    { createDeveloperMetadata: { developerMetadata: mark } },
    ...(lacking > 0 ? [{ appendDimension: { sheetId, dimension: 'COLUMNS', length: lacking } }] : []),
    {
      updateCells: {
        start: { sheetId, rowIndex: 0, columnIndex: header.length },
        rows: [{ values: cells }],
        fields: 'userEnteredValue',
      },
    },
  ];
}
