/** Maps a noun to its row. Its fields are listed once, in statement order: `createdAt` is the column `created_at`. */
import type { SqlValue } from './engine.js';
import type { Columns } from './schema.js';

export interface Mapping<Noun> {
  /** Quoted: some are SQL keywords. */
  readonly columns: readonly string[];
  values(noun: Noun): readonly SqlValue[];
  /** The inverse of `values`. */
  fromValues(values: readonly SqlValue[]): Noun;
  toRow(noun: Noun): Columns<Noun>;
  /** Ignores the row's other columns. */
  toNoun(row: Columns<Noun>): Noun;
}

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

/** Makes the compiler show names that are missing or that the noun does not have. */
type AllOf<Noun, Text extends string> = [
  Exclude<keyof Noun | Words<Text>, keyof Noun & Words<Text>>,
] extends [never]
  ? unknown
  : { readonly wrong: Exclude<keyof Noun | Words<Text>, keyof Noun & Words<Text>> };

const columnName = (field: string): string =>
  field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `mapped<Mail>()('id submissionId …')`: all fields of the noun, separated by spaces. */
export const mapped =
  <Noun extends { readonly [Field in keyof Noun]: SqlValue }>() =>
  <Text extends string>(fields: Text & AllOf<Noun, Text>): Mapping<Noun> => {
    // `AllOf` guarantees this.
    const names = fields.split(' ') as (keyof Noun & string)[];
    const pairs = names.map((field) => [field, columnName(field)] as const);
    // Loops, because Object.fromEntries took 4.4 µs instead of 0.9 for a row of eleven columns.
    return {
      columns: pairs.map(([, column]) => `"${column}"`),
      values: (noun) => names.map((field): SqlValue => noun[field] ?? null),
      fromValues(values) {
        const noun: { [Field in keyof Noun]?: SqlValue } = {};
        for (const [index, field] of names.entries()) noun[field] = values[index] ?? null;
        return noun as Noun;
      },
      toRow(noun) {
        const row: Record<string, SqlValue> = {};
        for (const [field, column] of pairs) row[column] = noun[field] ?? null;
        return row as Columns<Noun>;
      },
      toNoun(row) {
        const noun: { [Field in keyof Noun]?: SqlValue } = {};
        const columns: Readonly<Record<string, SqlValue>> = row;
        for (const [field, column] of pairs) noun[field] = columns[column] ?? null;
        return noun as Noun;
      },
    };
  };
