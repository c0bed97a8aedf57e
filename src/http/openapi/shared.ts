/** Parts of the document that are used in several places. Each is included once and referenced. */
export type Json = Readonly<Record<string, unknown>>;

/** `name`: its name if it is shared; null: it never is. `always`: shared even if it is used only once. */
export interface Part {
  readonly name: string | null;
  readonly always?: true;
  readonly value: Json;
}

interface NamedPart extends Part {
  readonly name: string;
}

const textOf = ({ name, value }: Part): string => JSON.stringify([name, value]);

/** Returns the parts that are used more than once or marked `always`. Of different parts with the same name, the one used most gets it. */
export function shareRepeated(parts: readonly Part[], taken: ReadonlySet<string> = new Set()): NamedPart[] {
  const uses = new Map<string, number>();
  for (const part of parts) uses.set(textOf(part), (uses.get(textOf(part)) ?? 0) + 1);
  const byText = new Map(parts.map((part) => [textOf(part), part]));
  const repeated = [...uses]
    .filter(([text, times]) => times > 1 || byText.get(text)?.always)
    .sort(([, a], [, b]) => b - a);
  const shared = new Map<string, NamedPart>();
  for (const [text] of repeated) {
    const { name = null, value = {} } = byText.get(text) ?? {};
    if (name !== null && !taken.has(name) && !shared.has(name)) shared.set(name, { name, value });
  }
  return [...shared.values()];
}

/** A section of `components`. */
export class Shared {
  readonly components: Json;
  readonly #references: ReadonlyMap<string, Json>;

  constructor(kind: 'parameters' | 'responses', parts: readonly Part[]) {
    const shared = shareRepeated(parts);
    this.components = Object.fromEntries(shared.map(({ name, value }) => [name, value]));
    this.#references = new Map(
      shared.map((part) => [textOf(part), { $ref: `#/components/${kind}/${part.name}` }]),
    );
  }

  of(part: Part): Json {
    return this.#references.get(textOf(part)) ?? part.value;
  }
}
