/** Names the invalid entry of a list of texts. Pure. */

/** The entry at an index: `x@` says more than `0`. Returns null when the list has no text at that index. */
export function entryAt(list: unknown, place: string): string | null {
  const entry: unknown = Array.isArray(list) && /^\d+$/.test(place) ? list[Number(place)] : undefined;
  return typeof entry === 'string' ? entry : null;
}
