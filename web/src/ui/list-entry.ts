/** The entries of a list of texts, named where one of them is wrong. Pure. */

/** What a place in a list holds: `x@` says more than `0`. null where it is no place in a list of texts. */
export function entryAt(list: unknown, place: string): string | null {
  const entry: unknown = Array.isArray(list) && /^\d+$/.test(place) ? list[Number(place)] : undefined;
  return typeof entry === 'string' ? entry : null;
}
