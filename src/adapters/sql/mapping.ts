/** A noun and its row. Its fields are named once, in the order of its statements: `createdAt` is the column `created_at`. */
import type { SqlValue } from './engine.js';
import type { Columns } from './schema.js';

export interface Mapping<Noun> {
  /** Quoted: some are words of SQL. */
  readonly columns: readonly string[];
  values(noun: Noun): readonly SqlValue[];
  /** What `values` gave. */
  fromValues(values: readonly SqlValue[]): Noun;
  toRow(noun: Noun): Columns<Noun>;
  /** Takes nothing else of the row along. */
  toNoun(row: Columns<Noun>): Noun;
}

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

/** The compiler shows the names that are missing or that the noun does not have. */
type AllOf<Noun, Text extends string> = [
  Exclude<keyof Noun | Words<Text>, keyof Noun & Words<Text>>,
] extends [never]
  ? unknown
  : { readonly wrong: Exclude<keyof Noun | Words<Text>, keyof Noun & Words<Text>> };

const columnName = (field: string): string =>
  field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `mapped<Mail>()('id submissionId …')`: all fields of the noun, parted by spaces. */
export const mapped =
  <Noun extends { readonly [Field in keyof Noun]: SqlValue }>() =>
  <Text extends string>(fields: Text & AllOf<Noun, Text>): Mapping<Noun> => {
    const pairs = fields.split(' ').map((field) => [field, columnName(field)] as const);
    // A loop: with Object.fromEntries a row of eleven columns took 4.4 µs instead of 0.9.
    const renamed = (object: unknown, from: 0 | 1, to: 0 | 1): unknown => {
      const made: Record<string, SqlValue> = {};
      for (const pair of pairs) made[pair[to]] = of(object, pair[from]);
      return made;
    };
    const of = (object: unknown, name: string): SqlValue =>
      (object as Readonly<Record<string, SqlValue>>)[name] ?? null;
    return {
      columns: pairs.map(([, column]) => `"${column}"`),
      values: (noun) => pairs.map(([field]) => of(noun, field)),
      fromValues(values) {
        const made: Record<string, SqlValue> = {};
        for (const [index, [field]] of pairs.entries()) made[field] = values[index] ?? null;
        return made as unknown as Noun;
      },
      toRow: (noun) => renamed(noun, 0, 1) as Columns<Noun>,
      toNoun: (row) => renamed(row, 1, 0) as Noun,
    };
  };
