/** Turns a row of an export into a submission, or into the reason why it cannot be one. Pure. */
import { createHash } from 'node:crypto';
import { canonicalIp } from '../../kernel/addresses.js';
import { lowestIdAt } from '../../kernel/ids.js';
import { membersOf } from '../../kernel/json-outline.js';
import { exceedsUtf8Bytes } from '../../kernel/utf8.js';
import { controlText, reservedFields } from '../../model/fields.js';
import type { SubmissionMetadata } from '../../model/submission.js';
import { unsafeCell } from '../submissions/spreadsheet-cell.js';
import { type DateOrder, readDate } from './dates.js';
import { type Cell, maxColumns, maxRowBytes, type SourceRow, tooManyFields } from './rows.js';
import type { Use } from './sources.js';

const maxNameBytes = 256;
const maxMetadataLength = 2_000;

export interface RowRules {
  readonly order: DateOrder | null;
  /** For rows without a date. */
  readonly defaultAt: number | null;
  readonly now: number;
  /** Our own CSV: formulas are prefixed with an apostrophe, and columns of fields may have another title. */
  readonly isOwnCsv: boolean;
}

export interface FileLink {
  readonly field: string;
  readonly url: string;
  readonly filename: string | null;
}

export interface PlannedRow {
  readonly line: number;
  readonly original: readonly string[];
  readonly at: number;
  /** The source's id of the row. null: it has none. */
  readonly sourceId: string | null;
  readonly data: string;
  /** The data without these fields, whose files are stored. */
  dataWithout(fields: ReadonlySet<string>): string;
  /** What identifies the row, however its columns are mapped. */
  readonly identity: readonly string[];
  readonly metadata: SubmissionMetadata;
  readonly isSpam: boolean;
  readonly links: readonly FileLink[];
}

export function planRow(
  row: SourceRow,
  uses: readonly Use[],
  rules: RowRules,
): PlannedRow | { readonly reason: string } {
  const found = { date: '', id: '', ip: '', user_agent: '', referrer: '', spam: '' };
  const fields = new Map<string, string | string[]>();
  /** Control fields, which steered the service when the form was sent. They are stored beside the data, not in it. */
  const reserved = new Map<string, string>();
  const links: FileLink[] = [];
  let isChanged = false;
  const identity: string[] = [];
  for (const [index, cell] of row.cells.entries()) {
    const { meaning = 'field', field = cell.name } = uses[index] ?? {};
    if (cell.text !== '' && meaning !== 'skip' && meaning !== 'spam')
      identity.push(cell.name, lasting(cell.text));
    switch (meaning) {
      case 'skip':
        if (cell.isMeta && cell.name === 'control_fields') addTexts(reserved, cell.json ?? '');
        isChanged ||= !cell.isMeta;
        break;
      case 'field':
      case 'file':
        if (reservedFields.has(field)) {
          isChanged = true;
          if (cell.text !== '' && !reserved.has(field)) reserved.set(field, cell.text);
          break;
        }
        isChanged ||= field !== cell.name || fields.has(field);
        if (exceedsUtf8Bytes(field, maxNameBytes))
          return { reason: 'has a name that is longer than 256 bytes' };
        if (meaning === 'file') links.push(...linksIn(cell, field));
        addField(fields, field, cell, rules);
        break;
      default:
        isChanged ||= !cell.isMeta;
        if (found[meaning] === '') found[meaning] = scalarOf(cell);
    }
  }
  if (fields.size > maxColumns) return { reason: tooManyFields() };
  const date =
    found.date.trim() === '' && rules.defaultAt !== null
      ? { at: rules.defaultAt }
      : readDate(found.date, rules.order, rules.now);
  if ('reason' in date) return date;
  const data = row.fieldsText !== null && !isChanged ? row.fieldsText : textOf(fields);
  if (exceedsUtf8Bytes(data, maxRowBytes)) return { reason: 'is longer than 1 MiB' };
  return {
    line: row.line,
    original: row.original,
    at: date.at,
    sourceId: found.id === '' ? null : found.id,
    data,
    metadata: {
      ip: canonicalIp(found.ip.trim()) ?? '',
      userAgent: headerText(found.user_agent),
      submittedFrom: headerText(found.referrer),
      controlFields: controlText(reserved),
    },
    identity,
    dataWithout: (names) => textOf(new Map([...fields].filter(([name]) => !names.has(name)))),
    isSpam: /^(?:1|true|yes|y|spam)$/i.test(found.spam.trim()),
    links,
  };
}

/** An empty cell of a table means the same as a missing one: all rows have the same columns. */
function addField(fields: Map<string, string | string[]>, name: string, cell: Cell, rules: RowRules): void {
  if (cell.json === null && cell.text === '') return;
  if (rules.isOwnCsv && cell.name === 'other_fields') {
    for (const member of otherFields(cell.text)) fields.set(member.name, member.value);
    return;
  }
  const value = cell.json ?? JSON.stringify(rules.isOwnCsv ? unsafeCell(cell.text) : cell.text);
  const known = fields.get(name);
  if (known === undefined) fields.set(name, value);
  else fields.set(name, Array.isArray(known) ? [...known, value] : [known, value]);
}

/** Adds the control fields of our own JSON lines. */
function addTexts(texts: Map<string, string>, json: string): void {
  if (!json.startsWith('{')) return;
  for (const { name, value } of membersOf(json)) {
    if (value.startsWith('"')) texts.set(name, String(JSON.parse(value)));
  }
}

function otherFields(text: string) {
  try {
    JSON.parse(text);
    return membersOf(text);
  } catch {
    return [];
  }
}

const textOf = (fields: ReadonlyMap<string, string | string[]>): string =>
  `{${Array.from(fields, ([name, value]) => `${JSON.stringify(name)}:${Array.isArray(value) ? `[${value.join(',')}]` : value}`).join(',')}}`;

/** A text or a number. For an object such as `{"date": "…"}`, the value that it wraps. */
function scalarOf({ text, json }: Cell): string {
  if (json === null || !json.startsWith('{')) return text;
  for (const { name, value } of membersOf(json)) {
    if (['date', '$date', 'value'].includes(name) && value.startsWith('"')) return String(JSON.parse(value));
  }
  return text;
}

const headerText = (text: string): string =>
  text
    .replace(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, maxMetadataLength);

const isLink = (text: string): boolean => /^https?:\/\/\S+$/i.test(text);

/** Accepts a URL, several of them, or objects that contain one. */
function linksIn({ text, json }: Cell, field: string): readonly FileLink[] {
  if (json === null || json.startsWith('"')) {
    const parts = text.split(/[\s,;|]+/).filter((part) => part !== '');
    return parts.every(isLink) ? parts.map((url) => ({ field, url, filename: null })) : [];
  }
  const value: unknown = JSON.parse(json);
  return (Array.isArray(value) ? value : [value]).flatMap((one: unknown) => {
    if (typeof one === 'string') return isLink(one) ? [{ field, url: one, filename: null }] : [];
    if (typeof one !== 'object' || one === null || !('url' in one) || typeof one.url !== 'string') return [];
    const filename = 'filename' in one ? one.filename : 'name' in one ? one.name : null;
    return isLink(one.url)
      ? [{ field, url: one.url, filename: typeof filename === 'string' ? filename : null }]
      : [];
  });
}

/** Drops the query of a link: links to files are signed anew for each export. */
const lasting = (text: string): string =>
  text.startsWith('http') && isLink(text) ? text.replace(/\?.*$/, '') : text;

/** A hash of what identifies the row at the source: its id there, otherwise its content. */
export const rowHash = (formId: string, { sourceId, at, identity }: PlannedRow): Buffer =>
  createHash('sha256')
    .update(JSON.stringify(sourceId === null ? [formId, at, 'row', identity] : [formId, at, 'id', sourceId]))
    .digest();

/**
 * Gives the same row the same id whenever it is imported: a UUID v7 of its date, and a hash for the rest. `before`: the number
 * of equal rows before it in the file.
 */
export function rowId(hash: Buffer, at: number, before: number): string {
  const bits = before === 0 ? hash : createHash('sha256').update(hash).update(String(before)).digest();
  const hex = bits.toString('hex');
  return `${lowestIdAt(at).slice(0, 13)}-7${hex.slice(0, 3)}-8${hex.slice(3, 6)}-${hex.slice(6, 18)}`;
}
