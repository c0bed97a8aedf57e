/**
 * Visitor text in sizes that a page can handle: a field may be a megabyte long, a submission may have ten thousand fields. Nothing here
 * returns more text than requested.
 */

/** The beginning of a text, without splitting a surrogate pair. */
export function beginning(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const last = text.charCodeAt(maxLength - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxLength - 1 : maxLength);
}

/** Stops the traversal once there is enough text; not an error. */
class Full extends Error {}

/** Like `JSON.stringify(value, null, 2)`, but stops when there is enough. */
export function boundedJson(
  value: unknown,
  maxLength: number,
  indent = 2,
): { readonly text: string; readonly isCut: boolean } {
  const parts: string[] = [];
  let length = 0;
  const write = (text: string): void => {
    parts.push(text);
    length += text.length;
    if (length > maxLength) throw new Full();
  };
  const lineBreak = (depth: number): string => (indent === 0 ? '' : `\n${' '.repeat(indent * depth)}`);
  const visit = (item: unknown, depth: number): void => {
    if (typeof item === 'string') {
      // Escapes only as much as is shown.
      write(JSON.stringify(item.length > maxLength ? beginning(item, maxLength) : item));
      return;
    }
    if (typeof item !== 'object' || item === null) {
      write(JSON.stringify(item) ?? 'null');
      return;
    }
    const isList = Array.isArray(item);
    const names = isList ? null : Object.keys(item);
    const count = isList ? item.length : (names?.length ?? 0);
    write(isList ? '[' : '{');
    for (let index = 0; index < count; index += 1) {
      write(`${index > 0 ? ',' : ''}${lineBreak(depth + 1)}`);
      const name = names?.[index];
      if (name === undefined) {
        visit((item as readonly unknown[])[index], depth + 1);
      } else {
        write(`${JSON.stringify(beginning(name, maxLength))}:${indent === 0 ? '' : ' '}`);
        visit((item as Readonly<Record<string, unknown>>)[name], depth + 1);
      }
    }
    write(`${count > 0 ? lineBreak(depth) : ''}${isList ? ']' : '}'}`);
  };
  try {
    visit(value, 0);
    return { text: parts.join(''), isCut: false };
  } catch (error) {
    if (!(error instanceof Full)) throw error;
    return { text: beginning(parts.join(''), maxLength), isCut: true };
  }
}

/** A value on one line. */
export function previewOf(value: unknown, maxLength = 200): string {
  if (value === undefined || value === null) return '';
  // Reads twice as much, because whitespace is collapsed.
  const text =
    typeof value === 'string'
      ? beginning(value, 2 * maxLength)
      : Array.isArray(value) && value.slice(0, 50).every((item) => typeof item === 'string')
        ? value
            .slice(0, 50)
            .map((item) => beginning(String(item), maxLength))
            .join(', ')
        : boundedJson(value, maxLength, 0).text;
  return beginning(text.replace(/\s+/g, ' ').trim(), maxLength);
}
