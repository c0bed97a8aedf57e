/** What the columns of an export mean. One table, with a row per service. */
import type { ImportSource } from '../../contract/import.js';

/** `field`: a field of the form. `skip`: left out. */
export const meanings = [
  'field',
  'date',
  'id',
  'ip',
  'user_agent',
  'referrer',
  'spam',
  'file',
  'skip',
] as const;
export type Meaning = (typeof meanings)[number];

type Names = Partial<Record<Exclude<Meaning, 'field'>, readonly string[]>>;

/** Names as normalized by `plain`. If several match, the first one listed gets the meaning. */
interface Source extends Names {
  /** In JSON, recorded data is mixed with the fields. */
  readonly isMixed?: boolean;
}

const anywhere = {
  date: [
    'created at',
    'submitted at',
    'submission date',
    'submission time',
    'submitted on',
    'date submitted',
    'received at',
    'timestamp',
    'created',
    'submitted',
    'date',
  ],
  id: ['submission id', 'id', 'uuid'],
  ip: ['ip', 'ip address', 'remote ip', 'sender ip'],
  user_agent: ['user agent', 'useragent', 'browser'],
  referrer: ['referrer', 'referer', 'submitted from', 'source url'],
  spam: ['spam', 'is spam', 'marked as spam'],
} as const satisfies Names;

const sources: Readonly<Record<ImportSource, Source>> = {
  formspree: { date: ['date'], skip: ['status', 'gotcha', 'form'] },
  web3forms: { skip: ['access key', 'form id', 'form name', 'botcheck'] },
  formspark: { skip: ['form id', 'workspace id'] },
  basin: {
    file: ['attachments'],
    skip: ['form id', 'form name', 'trash', 'read', 'spam reason', 'updated at'],
  },
  netlify: { isMixed: true, skip: ['number', 'form name', 'bot field', 'form id', 'site url'] },
  forminit: { skip: ['form id', 'read', 'form endpoint'], file: ['files', 'attachments'] },
  formcarry: { file: ['attachments'], skip: ['form id', 'form', 'read', 'updated at', 'gotcha'] },
  staticforms: { skip: ['access key', 'api key', 'honeypot', 'form id'] },
  formsubmit: { referrer: ['form url'], skip: ['captcha', 'template', 'next'] },
  inlet: {
    date: ['created at'],
    id: ['submission id', 'id'],
    skip: ['files', 'form id', 'project id', 'delivery state'],
  },
};

/** `createdAt`, `_created_at` and `Created At` are the same name. */
const plain = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .trim();

export interface NamedColumn {
  readonly name: string;
  readonly isMeta: boolean;
}

/**
 * The meaning of each column, in order. At most one column has the date, and so on. Next to an object that contains the fields
 * nothing is a field, and inside it everything is, unless the service mixes them.
 */
function meaningsOf(
  columns: readonly NamedColumn[],
  source: ImportSource | null,
  chosen: ReadonlyMap<number, Meaning>,
): readonly Meaning[] {
  const own: Source = source === null ? {} : sources[source];
  const isSplit = columns.some(({ isMeta }) => isMeta);
  const mayMean = ({ isMeta }: NamedColumn): boolean => isMeta || !isSplit || own.isMixed === true;
  const found = new Map(chosen);
  const isChosen = new Set(chosen.values());
  const plainNames = columns.map(({ name }) => plain(name));
  const find = (names: readonly string[]): number => {
    for (const wanted of names) {
      const fits = columns.flatMap((column, index) =>
        plainNames[index] === wanted && mayMean(column) && !found.has(index) ? [index] : [],
      );
      // If a form has a field `date`, the service's own date is `_date`.
      const [first] = fits;
      if (first !== undefined) return fits.find((index) => columns[index]?.name.startsWith('_')) ?? first;
    }
    return -1;
  };
  for (const meaning of ['date', 'id', 'ip', 'user_agent', 'referrer', 'spam'] as const) {
    if (isChosen.has(meaning)) continue;
    const at = find([...(own[meaning] ?? []), ...anywhere[meaning]]);
    if (at !== -1) found.set(at, meaning);
  }
  return columns.map((column, index) => {
    const known = found.get(index);
    if (known !== undefined) return known;
    const name = plainNames[index] ?? '';
    if (mayMean(column) && own.file?.includes(name)) return 'file';
    if (column.isMeta || (mayMean(column) && own.skip?.includes(name))) return 'skip';
    return 'field';
  });
}

/** What becomes of a column. */
export interface Use {
  readonly meaning: Meaning;
  /** The name of the field. */
  readonly field: string;
}

/** By column name: another field name, or a meaning such as `@date`. */
export type Mapping = ReadonlyMap<string, string>;

/** Returns what is wrong with the mapping, or null when it is valid. */
export function faultOfMapping(mapping: Mapping): string | null {
  for (const [column, target] of mapping) {
    if (column.trim() === '' || target.trim() === '')
      return 'A mapping needs the name of a column and a target.';
    if (target.startsWith('@') && meaningOfTarget(target) === null) {
      return `"${target}" is not one of ${meanings.map((meaning) => `@${meaning}`).join(', ')}.`;
    }
  }
  return null;
}

const meaningOfTarget = (target: string): Meaning | null =>
  meanings.find((meaning) => target === `@${meaning}`) ?? null;

/** One for each column. A mapping of a name that is both recorded data and a field applies to the field. */
export function usesOf(
  columns: readonly NamedColumn[],
  source: ImportSource | null,
  mapping: Mapping,
): readonly Use[] {
  const fieldNames = new Set(columns.filter(({ isMeta }) => !isMeta).map(({ name }) => name));
  const targets = columns.map(({ name, isMeta }) =>
    isMeta && fieldNames.has(name) ? undefined : mapping.get(name),
  );
  const chosen = new Map<number, Meaning>();
  for (const [index, target] of targets.entries()) {
    if (target !== undefined) chosen.set(index, meaningOfTarget(target) ?? 'field');
  }
  const found = meaningsOf(columns, source, chosen);
  const isOwn = isOwnCsv(columns);
  return columns.map(({ name }, index) => {
    const target = targets[index];
    const field =
      target === undefined || target.startsWith('@') ? (isOwn ? titledField(name) : name) : target;
    return { meaning: found[index] ?? 'field', field };
  });
}

const ownColumns = ['submission_id', 'created_at', 'files', 'ip', 'user_agent', 'submitted_from'];

/** Whether it is the header of our own CSV export. */
export function isOwnCsv(columns: readonly NamedColumn[]): boolean {
  const names = new Set(columns.map(({ name }) => name));
  return ownColumns.every((name) => names.has(name));
}

/** Undoes the suffix that our export adds to fields with the name of one of our columns. */
function titledField(title: string): string {
  const name = title.replace(/ \(field\)$/, '');
  return name !== title && [...ownColumns, 'other_fields'].includes(name) ? name : title;
}
