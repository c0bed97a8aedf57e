/** Submitted fields as short text. Everything here was written by strangers. Pure. */

/** These tell most about who wrote; the others follow in the order they came. */
const telling = [/^(?:full_?)?name$/i, /^e-?mail/i, /^(?:message|comment|text|body)/i];
const maxSummaryFields = 3;
const maxSummaryChars = 160;
/** What nobody reads to its end would only make the page slow. */
const maxShownChars = 20_000;

/** The beginning of a text, without half a character at its end. */
const beginning = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');

export const textOf = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
  return text.length <= maxShownChars
    ? text
    : `${beginning(text, maxShownChars)}… and ${text.length - maxShownChars} more characters`;
};

export const fieldsOf = (data: unknown): readonly (readonly [name: string, text: string])[] =>
  Object.entries((data ?? {}) as Record<string, unknown>).map(([name, value]) => [name, textOf(value)]);

/**
 * The line of a folded row, in parts: `Ada Lovelace`, `ada@example.com`, `I would like…`. Each stands alone, so that none
 * can turn around the others.
 */
export function summaryOf(data: unknown): readonly string[] {
  const fields = fieldsOf(data).filter(([, text]) => text.trim() !== '');
  const rank = (name: string): number => {
    const place = telling.findIndex((shape) => shape.test(name));
    return place === -1 ? telling.length : place;
  };
  return [...fields]
    .sort(([one], [other]) => rank(one) - rank(other))
    .slice(0, maxSummaryFields)
    .map(([, text]) => {
      const line = text
        .slice(0, 2 * maxSummaryChars)
        .replace(/\s+/g, ' ')
        .trim();
      return line.length <= maxSummaryChars ? line : `${beginning(line, maxSummaryChars)}…`;
    });
}
