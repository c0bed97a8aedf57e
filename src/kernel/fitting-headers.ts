/**
 * As many headers as fit into so many characters, repeated ones joined as HTTP does. Each is whole or left out: half of a
 * secret would not be recognised as one.
 */
export function fittingHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  maxChars: number,
): Readonly<Record<string, string>> {
  let left = maxChars;
  const kept = Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const text = typeof value === 'string' ? value : value.join(', ');
    const chars = name.length + text.length;
    if (chars > left) return [];
    left -= chars;
    return [[name, text] as const];
  });
  return Object.fromEntries(kept);
}
