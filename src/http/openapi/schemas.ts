import type { TSchema } from 'typebox';
import { nameOf } from '../../contract/shapes.js';
import { type Json, shareRepeated } from './shared.js';

/** Naming a shorter schema saves next to nothing and adds a type to generated clients. */
const minLength = 130;

const typeName = (property: string): string =>
  property.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** The schemas of properties, at any depth. */
function propertiesIn(value: unknown): readonly (readonly [string, Json])[] {
  if (Array.isArray(value)) return value.flatMap(propertiesIn);
  if (!isJson(value)) return [];
  const { properties } = value;
  const own = isJson(properties) ? Object.entries(properties) : [];
  return [
    ...own.flatMap(([name, schema]) => (isJson(schema) ? [[name, schema] as const] : [])),
    ...Object.values(value).flatMap(propertiesIn),
  ];
}

/** Copies schemas, with references in place of named ones. */
export class Schemas {
  readonly #named: Record<string, Json> = {};

  of(schema: TSchema): Json {
    const name = nameOf(schema);
    if (name === undefined) return this.#copy(schema);
    this.#named[name] ??= this.#copy(schema);
    return reference(name);
  }

  #copy(schema: TSchema): Json {
    const copied = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(copied);
      return typeof value === 'object' && value !== null ? this.of(value) : value;
    };
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, copied(value)]));
  }

  /** Also names the schemas that properties of several objects have in common, after the property. */
  components(): Json {
    const shared = new Map(
      Object.entries(this.#named).map(([name, schema]) => [JSON.stringify(schema), name]),
    );
    const parts = propertiesIn(this.#named)
      .map(([name, value]) => ({ name: typeName(name), value }))
      .filter(({ value }) => JSON.stringify(value).length >= minLength);
    const added = shareRepeated(parts, new Set(Object.keys(this.#named)));
    for (const { name, value } of added) shared.set(JSON.stringify(value), name);
    const referring = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(referring);
      if (!isJson(value)) return value;
      const name = shared.get(JSON.stringify(value));
      return name === undefined ? inside(value) : reference(name);
    };
    const inside = (schema: Json): Json =>
      Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, referring(value)]));
    const all = [...Object.entries(this.#named), ...added.map(({ name, value }) => [name, value] as const)];
    return Object.fromEntries(all.map(([name, schema]) => [name, inside(schema)]));
  }
}
