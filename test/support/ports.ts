/** A port that implements only what a test is about. Any other use of it is an error of the test or the code. */
import type { Store } from '../../src/ports/store.js';

export function only<T extends object>(part: Partial<T>): T {
  return new Proxy(part, {
    get(target, name) {
      if (name in target) return Reflect.get(target, name);
      throw new Error(`Not expected in this test: ${String(name)}`);
    },
  }) as T;
}

export type StorePart = {
  readonly [K in keyof Store]?: Store[K] extends (...values: never[]) => unknown
    ? Store[K]
    : Partial<Store[K]>;
};

/** A store that has only the given methods of the given nouns. */
export function onlyStore(parts: StorePart): Store {
  const nouns = Object.entries(parts).map(([name, part]) => [
    name,
    typeof part === 'function' ? part : only<object>(part),
  ]);
  return only<Store>(Object.fromEntries(nouns));
}
