/**
 * The parts of the Sheets API and Google's token endpoint that we use, as a real server on loopback. Like Google it rejects unknown
 * parameters and keys, malformed ranges and unsigned requests. See https://developers.google.com/workspace/sheets/api/reference/rest
 * and https://developers.google.com/identity/protocols/oauth2/service-account for texts and rules.
 */
import { generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import type { Socket } from 'node:net';
import { type Clock, systemClock } from '../../../src/kernel/clock.js';
import { type Answer, answerBytes, type ReceivedRequest, startReceiver } from '../receivers.js';

/** What USER_ENTERED makes of text that starts like a formula. */
export interface Formula {
  readonly formula: string;
}
export type Cell = string | number | boolean | Formula | null;
type Operation = 'token' | 'grid' | 'header' | 'column' | 'columns' | 'append';

/** `drops`: carries out the request, and closes the connection without a response. */
export type Conduct = 'honest' | 'hangs' | 'echoes' | 'drops' | Answer;

interface Sheet {
  readonly title: string;
  readonly sheetId: number;
  rows: Cell[][];
  rowCount: number;
  columnCount: number;
}

export interface FakeGoogle {
  readonly origin: string;
  readonly requests: readonly ReceivedRequest[];
  /** The requested operations, in order. */
  readonly operations: readonly Operation[];
  readonly spreadsheetId: string;
  readonly clientEmail: string;
  readonly privateKey: string;
  /** The key file of the service account. */
  readonly credentials: string;
  /** Issued so far. */
  readonly tokens: readonly string[];
  /** The cells of a sheet, without empty ones at the ends. */
  cells(title?: string): Cell[][];
  /** Changes a sheet like its owner would. */
  edit(change: (sheet: Sheet) => void, title?: string): void;
  /** For all requests, or only for those of one operation. */
  behave(conduct: Conduct, only?: Operation): void;
  /** Requests for this operation wait until this many have arrived. */
  gather(operation: Operation, count: number): void;
  /** Tokens issued so far are no longer accepted. */
  revokeTokens(): void;
  close(): Promise<void>;
}

const spreadsheetId = '1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms';
const clientEmail = 'inlet@example-project.iam.gserviceaccount.com';
const scope = 'https://www.googleapis.com/auth/spreadsheets';
const audience = 'https://oauth2.googleapis.com/token';

let pair: { readonly publicKey: string; readonly privateKey: string } | undefined;
/** Generating one takes up to a second. */
const keyPair = () => {
  pair ??= generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return pair;
};

class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}
const invalid = (message: string): Refused => new Refused(400, 'INVALID_ARGUMENT', message);

type Json = Readonly<Record<string, unknown>>;
const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object with exactly these keys. Those with a question mark may be missing. */
function exact(value: unknown, where: string, ...keys: string[]): Json {
  if (!isJson(value)) throw invalid(`Invalid value at '${where}'`);
  const names = keys.map((key) => key.replace('?', ''));
  for (const name of Object.keys(value))
    if (!names.includes(name))
      throw invalid(
        `Invalid JSON payload received. Unknown name "${name}" at '${where}': Cannot find field.`,
      );
  for (const key of keys)
    if (!key.endsWith('?') && !(key in value)) throw invalid(`Missing '${key}' at '${where}'`);
  return value;
}
const list = (value: unknown, where: string): readonly unknown[] => {
  if (!Array.isArray(value)) throw invalid(`Invalid value at '${where}'`);
  return value;
};
const whole = (value: unknown, where: string): number => {
  if (!Number.isInteger(value) || Number(value) < 0) throw invalid(`Invalid value at '${where}'`);
  return Number(value);
};

const isFilled = (cell: Cell | undefined): boolean => cell !== undefined && cell !== null && cell !== '';
const shown = (cell: Cell | undefined): string =>
  cell === undefined || cell === null ? '' : typeof cell === 'object' ? '#ERROR!' : String(cell);
const trimmed = <T>(items: readonly T[], isKept: (item: T) => boolean): T[] =>
  items.slice(0, items.findLastIndex(isKept) + 1);

const indexOfLetters = (letters: string): number =>
  [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;

/** The range of filled cells around A1, to which rows are appended. Returns null when there is none. */
function tableAtA1(rows: readonly (readonly Cell[])[]): { readonly lastRow: number } | null {
  if (!isFilled(rows[0]?.[0])) return null;
  let [lastRow, lastColumn] = [0, 0];
  for (let isGrowing = true; isGrowing; ) {
    isGrowing = false;
    for (const [r, row] of rows.entries()) {
      if (r > lastRow + 1) break;
      for (const [c, cell] of row.entries()) {
        if (c > lastColumn + 1 || !isFilled(cell) || (r <= lastRow && c <= lastColumn)) continue;
        [lastRow, lastColumn] = [Math.max(lastRow, r), Math.max(lastColumn, c)];
        isGrowing = true;
      }
    }
  }
  return { lastRow };
}

/** A value as the API stores it. */
function stored(value: unknown, inputOption: string): Cell {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value !== 'string') throw invalid('Invalid values[0][0]: struct_value');
  if (value.length > 50_000)
    throw invalid('Your input contains more than the maximum of 50000 characters in a single cell.');
  if (!value.isWellFormed() || value.includes('\0')) throw invalid('Invalid JSON payload received.');
  if (inputOption === 'RAW') return value;
  if (/^[=+]/.test(value)) return { formula: value };
  if (value.startsWith("'")) return value.slice(1);
  return value !== '' && !Number.isNaN(Number(value)) ? Number(value) : value;
}

function queryOf(url: URL, allowed: Readonly<Record<string, RegExp>>): Readonly<Record<string, string>> {
  for (const [name, value] of url.searchParams)
    if (allowed[name]?.test(value) !== true)
      throw invalid(`Invalid JSON payload received. Unknown name "${name}": Cannot bind query parameter.`);
  return Object.fromEntries(url.searchParams);
}

class Spreadsheet {
  sheets: Sheet[] = [{ title: "Ada's Leads!", sheetId: 7, rows: [], rowCount: 1000, columnCount: 26 }];
  marks = new Map<number, string>();

  sheet(title: string): Sheet {
    const found = this.sheets.find((sheet) => sheet.title.toLowerCase() === title.toLowerCase());
    if (found === undefined) throw invalid(`Unable to parse range: ${title}`);
    return found;
  }

  range(text: string): { readonly sheet: Sheet; readonly cells: string } {
    const found = /^'((?:[^']|'')+)'!([A-Z0-9:]+)$/.exec(text);
    if (found === null) throw invalid(`Unable to parse range: ${text}`);
    return { sheet: this.sheet((found[1] ?? '').replaceAll("''", "'")), cells: found[2] ?? '' };
  }

  read(text: string): readonly (readonly string[])[] {
    const { sheet, cells } = this.range(text);
    if (cells === '1:1') {
      const names = trimmed(sheet.rows[0] ?? [], isFilled).map(shown);
      return names.length === 0 ? [] : [names];
    }
    const column = /^([A-Z]{1,3})([1-9]\d*):\1$/.exec(cells);
    if (column === null) throw invalid(`Unable to parse range: ${text}`);
    const [index, from] = [indexOfLetters(column[1] ?? ''), Number(column[2]) - 1];
    if (index >= sheet.columnCount || from >= sheet.rowCount)
      throw invalid(
        `Range (${text}) exceeds grid limits. Max rows: ${sheet.rowCount}, max columns: ${sheet.columnCount}`,
      );
    const values = trimmed(
      sheet.rows.slice(from).map((row) => row[index]),
      isFilled,
    ).map(shown);
    return values.length === 0 ? [] : [values];
  }

  append(text: string, values: readonly unknown[], inputOption: string): string {
    const { sheet, cells } = this.range(text);
    if (cells !== 'A1') throw invalid(`Unable to parse range: ${text}`);
    const row = values.map((value) => stored(value, inputOption));
    const at = (tableAtA1(sheet.rows)?.lastRow ?? -1) + 1;
    sheet.rows.splice(at, 0, row);
    sheet.rowCount += 1;
    sheet.columnCount = Math.max(sheet.columnCount, row.length);
    return `'${sheet.title}'!A${at + 1}`;
  }

  /** Applies all requests or none. */
  batch(requests: readonly unknown[]): void {
    const before = { sheets: structuredClone(this.sheets), marks: new Map(this.marks) };
    try {
      for (const [index, request] of requests.entries()) this.#apply(request, `requests[${index}]`);
    } catch (error) {
      Object.assign(this, before);
      throw error;
    }
  }

  #apply(request: unknown, where: string): void {
    const [[name, content] = ['', null], ...others] = Object.entries(isJson(request) ? request : {});
    if (others.length > 0) throw invalid(`Invalid value at '${where}' (oneof)`);
    const at = `${where}.${name}`;
    if (name === 'createDeveloperMetadata') this.#createMark(content, at);
    else if (name === 'deleteDeveloperMetadata') this.#deleteMark(content, at);
    else if (name === 'appendDimension') this.#appendColumns(content, at);
    else if (name === 'updateCells') this.#updateCells(content, at);
    else
      throw invalid(
        `Invalid JSON payload received. Unknown name "${name}" at '${where}': Cannot find field.`,
      );
  }

  #byId(value: unknown, where: string): Sheet {
    const id = whole(value, where);
    const sheet = this.sheets.find(({ sheetId }) => sheetId === id);
    if (sheet === undefined) throw invalid(`Invalid ${where}: No grid with id: ${id}`);
    return sheet;
  }

  #createMark(content: unknown, where: string): void {
    const { developerMetadata } = exact(content, where, 'developerMetadata');
    const mark = exact(developerMetadata, where, 'metadataId', 'metadataKey', 'location', 'visibility');
    const id = whole(mark.metadataId, where);
    if (id === 0 || id > 0x7fff_ffff) throw invalid(`Invalid ${where}: the id must be positive`);
    if (!['DOCUMENT', 'PROJECT'].includes(String(mark.visibility)))
      throw invalid(`Invalid ${where}.visibility`);
    this.#byId(exact(mark.location, where, 'sheetId').sheetId, where);
    if (this.marks.has(id)) throw invalid(`Invalid ${where}: metadata with id ${id} already exists`);
    this.marks.set(id, String(mark.metadataKey));
  }

  #deleteMark(content: unknown, where: string): void {
    const { dataFilter } = exact(content, where, 'dataFilter');
    const { developerMetadataLookup } = exact(dataFilter, where, 'developerMetadataLookup');
    const lookup = exact(developerMetadataLookup, where, 'metadataId', 'metadataKey');
    const id = whole(lookup.metadataId, where);
    if (this.marks.get(id) === lookup.metadataKey) this.marks.delete(id);
  }

  #appendColumns(content: unknown, where: string): void {
    const { sheetId, dimension, length } = exact(content, where, 'sheetId', 'dimension', 'length');
    if (dimension !== 'COLUMNS') throw invalid(`Invalid ${where}.dimension`);
    this.#byId(sheetId, where).columnCount += whole(length, where);
  }

  #updateCells(content: unknown, where: string): void {
    const { start, rows, fields } = exact(content, where, 'start', 'rows', 'fields');
    if (fields !== 'userEnteredValue') throw invalid(`Invalid ${where}.fields`);
    const { sheetId, rowIndex, columnIndex } = exact(start, where, 'sheetId', 'rowIndex', 'columnIndex');
    const sheet = this.#byId(sheetId, where);
    const first = whole(columnIndex, where);
    for (const [r, row] of list(rows, where).entries()) {
      const index = whole(rowIndex, where) + r;
      const target = sheet.rows[index] ?? [];
      sheet.rows[index] = target;
      for (const [c, cell] of list(exact(row, where, 'values').values, where).entries()) {
        if (first + c >= sheet.columnCount)
          throw invalid(
            `Invalid ${where}: Attempting to write column: ${first + c}, beyond the last requested column of: ${sheet.columnCount - 1}`,
          );
        const { userEnteredValue } = exact(cell, where, 'userEnteredValue');
        while (target.length < first + c) target.push(null);
        target[first + c] = stored(exact(userEnteredValue, where, 'stringValue').stringValue, 'RAW');
      }
    }
  }
}

/** The claims of an assertion with a valid signature. */
function claimsOf(assertion: string, publicKey: string): Json {
  const [head = '', body = '', signature = '', ...more] = assertion.split('.');
  const decoded = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
  const header = exact(decoded(head), 'header', 'alg', 'typ');
  const isSigned =
    more.length === 0 &&
    header.alg === 'RS256' &&
    verify('sha256', Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature, 'base64url'));
  if (!isSigned) throw new Refused(400, 'invalid_grant', 'Invalid JWT Signature.');
  return exact(decoded(body), 'claims', 'iss', 'scope', 'aud', 'iat', 'exp');
}

function giveToken({ headers, body }: ReceivedRequest, nowMs: number): string {
  const refused = (why: string): Refused => new Refused(400, 'invalid_grant', why);
  if (headers.get('content-type') !== 'application/x-www-form-urlencoded') throw refused('Bad content type.');
  const form = new URLSearchParams(body.toString());
  if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer')
    throw new Refused(400, 'unsupported_grant_type', 'Invalid grant_type.');
  const { iss, scope: asked, aud, iat, exp } = claimsOf(form.get('assertion') ?? '', keyPair().publicKey);
  const now = nowMs / 1000;
  if (iss !== clientEmail) throw refused('Invalid grant: account not found');
  if (aud !== audience) throw refused('Invalid JWT: Failed audience check.');
  if (asked !== scope) throw new Refused(400, 'invalid_scope', 'Invalid OAuth scope.');
  const [from, to] = [Number(iat), Number(exp)];
  if (!(Math.abs(from - now) < 300 && to > now && to - from <= 3600))
    throw refused(
      'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.',
    );
  return `ya29.${randomBytes(30).toString('base64url')}`;
}

function operationOf({ method, path }: ReceivedRequest): Operation {
  const { pathname } = new URL(path, 'http://x');
  if (pathname.endsWith('/token')) return 'token';
  if (pathname.endsWith(':append')) return 'append';
  if (pathname.endsWith(':batchUpdate')) return 'columns';
  if (method === 'GET' && pathname.includes('/values/'))
    return pathname.endsWith('!1%3A1') ? 'header' : 'column';
  return 'grid';
}

export async function startGoogleSheets(clock: Clock = systemClock): Promise<FakeGoogle> {
  const { privateKey } = keyPair();
  const spreadsheet = new Spreadsheet();
  const operations: Operation[] = [];
  const tokens: string[] = [];
  const accepted = new Set<string>();
  let conduct: { readonly how: Conduct; readonly only: Operation | undefined } = {
    how: 'honest',
    only: undefined,
  };
  let gathering: { readonly operation: Operation; readonly count: number } | null = null;
  let gathered: (() => void)[] = [];

  const json = (content: unknown, status = 200, pretty = true): Answer => ({
    status,
    headers: { 'Content-Type': 'application/json; charset=UTF-8' },
    body: JSON.stringify(content, null, pretty ? 2 : 0),
  });

  const callApi = (request: ReceivedRequest): Answer => {
    const url = new URL(request.path, 'http://x');
    const bearer = /^Bearer (\S+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
    if (bearer === undefined || !accepted.has(bearer))
      throw new Refused(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.');
    const found = /^\/v4\/spreadsheets\/([\w-]+)(?:\/values\/([^/:]+))?(?::(\w+))?$/.exec(url.pathname);
    if (found === null) throw new Refused(404, 'NOT_FOUND', 'Not found.');
    if (found[1] !== spreadsheetId) throw new Refused(404, 'NOT_FOUND', 'Requested entity was not found.');
    const [range, verb] = [found[2] === undefined ? null : decodeURIComponent(found[2]), found[3] ?? 'get'];
    const what = `${request.method} ${range === null ? 'spreadsheet' : 'values'}:${verb}`;
    if (request.method === 'GET') {
      if (request.body.length > 0 || request.headers.has('content-type'))
        throw invalid('Request had a body.');
    } else if (request.headers.get('content-type') !== 'application/json') throw invalid('Bad content type.');
    const content = (): unknown => JSON.parse(request.body.toString());
    if (what === 'GET values:get') {
      const { majorDimension = 'ROWS', prettyPrint } = queryOf(url, {
        fields: /^values$/,
        majorDimension: /^(ROWS|COLUMNS)$/,
        prettyPrint: /^(true|false)$/,
      });
      if ((majorDimension === 'COLUMNS') === (range ?? '').endsWith('!1:1')) throw invalid('majorDimension');
      const values = spreadsheet.read(range ?? '');
      return json(values.length === 0 ? {} : { values }, 200, prettyPrint !== 'false');
    }
    if (what === 'GET spreadsheet:get') {
      queryOf(url, {
        fields: /^sheets\.properties\(sheetId,title,gridProperties\(rowCount,columnCount\)\)$/,
      });
      return json({
        sheets: spreadsheet.sheets.map(({ title, sheetId, rowCount, columnCount }) => ({
          properties: { sheetId, title, gridProperties: { rowCount, columnCount } },
        })),
      });
    }
    if (what === 'POST spreadsheet:batchUpdate') {
      queryOf(url, { fields: /^spreadsheetId$/ });
      spreadsheet.batch(list(exact(content(), 'body', 'requests').requests, 'requests'));
      return json({ spreadsheetId });
    }
    if (what !== 'POST values:append') throw new Refused(404, 'NOT_FOUND', 'Not found.');
    const { valueInputOption, insertDataOption } = queryOf(url, {
      valueInputOption: /^(RAW|USER_ENTERED)$/,
      insertDataOption: /^(INSERT_ROWS|OVERWRITE)$/,
      fields: /^updates\.updatedRange$/,
    });
    if (valueInputOption === undefined) throw invalid("'valueInputOption' is required but not specified");
    if (insertDataOption !== 'INSERT_ROWS') throw invalid('The stand-in only inserts rows.');
    const { values, majorDimension } = exact(content(), 'body', 'values', 'majorDimension?', 'range?');
    const [row, ...others] = list(values, 'values');
    if (others.length > 0 || (majorDimension ?? 'ROWS') !== 'ROWS') throw invalid('One row is expected.');
    const updatedRange = spreadsheet.append(range ?? '', list(row, 'values[0]'), valueInputOption);
    return json({ updates: { updatedRange } });
  };

  const honest = (request: ReceivedRequest, operation: Operation): Answer => {
    try {
      if (operation !== 'token') return callApi(request);
      const token = giveToken(request, clock.now());
      tokens.push(token);
      accepted.add(token);
      return json({ access_token: token, expires_in: 3599, token_type: 'Bearer' });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const { status, code, message } = error;
      return operation === 'token'
        ? json({ error: code, error_description: message }, status)
        : json({ error: { code: status, message, status: code } }, status);
    }
  };

  const answer = (socket: Socket, request: ReceivedRequest, operation: Operation): void => {
    const { how, only } = conduct;
    const isMeant = how !== 'honest' && (only === undefined || only === operation);
    if (isMeant && how === 'hangs') return;
    if (isMeant && how === 'drops') {
      honest(request, operation);
      socket.destroy();
      return;
    }
    const said = !isMeant ? honest(request, operation) : how === 'echoes' ? echoOf(request) : (how as Answer);
    socket.write(answerBytes(said));
  };

  const receiver = await startReceiver((socket, request) => {
    const operation = operationOf(request);
    operations.push(operation);
    if (gathering?.operation !== operation) {
      answer(socket, request, operation);
      return;
    }
    gathered.push(() => answer(socket, request, operation));
    if (gathered.length < gathering.count) return;
    const all = gathered;
    [gathering, gathered] = [null, []];
    for (const go of all) go();
  });

  return {
    origin: new URL(receiver.url).origin,
    requests: receiver.requests,
    operations,
    spreadsheetId,
    clientEmail,
    privateKey,
    credentials: JSON.stringify({
      type: 'service_account',
      project_id: 'example-project',
      private_key_id: '0123456789abcdef',
      private_key: privateKey,
      client_email: clientEmail,
      // Not the address that tokens must be requested from.
      token_uri: 'http://127.0.0.1:9/token',
    }),
    tokens,
    cells: (title = "Ada's Leads!") =>
      trimmed(spreadsheet.sheet(title).rows, (row) => row.some(isFilled)).map((row) =>
        trimmed(row, isFilled),
      ),
    edit: (change, title = "Ada's Leads!") => change(spreadsheet.sheet(title)),
    behave: (how, only) => {
      conduct = { how, only };
    },
    gather: (operation, count) => {
      gathering = { operation, count };
    },
    revokeTokens: () => accepted.clear(),
    close: receiver.close,
  };
}

/** Rejects the request and repeats all of it. */
const echoOf = ({ method, path, headers, body }: ReceivedRequest): Answer => ({
  status: 400,
  body: [
    `${method} ${decodeURIComponent(path)}`,
    ...Array.from(headers, ([name, value]) => `${name}: ${value}`),
    String(body).slice(0, 3_000),
  ].join('\n'),
});
