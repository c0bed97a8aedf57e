/** Header values of the shape `token; name=value; name="value"`: Content-Type and Content-Disposition. Pure. */

export interface HeaderValue {
  /** The part before the first semicolon, in lower case. */
  readonly token: string;
  /** By lower-case name. The first of repeated parameters counts. */
  readonly parameters: ReadonlyMap<string, string>;
}

// An unquoted value may contain more than the grammar's token characters: Java sends boundary=----=_Part_1.
const parameter = /[ \t]*;[ \t]*(?:([^\s;="]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^";]*)))?/y;

/** Returns undefined when the value is malformed. */
export function parseHeaderValue(value: string): HeaderValue | undefined {
  const text = value.trim();
  const semicolon = text.indexOf(';');
  const tokenEnd = semicolon === -1 ? text.length : semicolon;
  const parameters = new Map<string, string>();
  parameter.lastIndex = tokenEnd;
  let end = tokenEnd;
  while (end < text.length) {
    const match = parameter.exec(text);
    if (match === null) return undefined;
    end = parameter.lastIndex;
    const [, name, quoted, bare = ''] = match;
    if (name === undefined || parameters.has(name.toLowerCase())) continue;
    // Only \" and \\ are escapes: some clients send a Windows path unescaped.
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(["\\])/g, '$1') ?? bare.trim());
  }
  return { token: text.slice(0, tokenEnd).trimEnd().toLowerCase(), parameters };
}
