/**
 * Aliases: the names that a form had at another form service. A path, a field of a body and the management API all spell
 * an alias with `aliasOf`, so that they mean the same form.
 */

export interface FormAlias {
  /** In the order in which they were added. */
  readonly id: string;
  readonly alias: string;
  readonly formId: string;
  readonly createdAt: number;
}

export const maxAliasLength = 200;
export const maxAliasesPerForm = 1_000;

/** Control characters, lone surrogates, line breaks, and what changes the direction of the text around it. */
const shape = new RegExp(`^[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Bidi_Control}]{1,${maxAliasLength}}$`, 'u');
/** Visitors choose the text. What is longer than this has too many characters in every spelling. */
const maxSpelling = 10 * maxAliasLength;

/**
 * The one spelling under which an alias is stored and looked up; null: this can be no alias. People type addresses in any
 * case; ids and access keys are exact.
 */
export function aliasOf(text: string): string | null {
  if (text.length > maxSpelling) return null;
  const name = text.normalize('NFC').trim();
  // Twice: the lower case of a normal text is not always normal.
  const alias = name.includes('@') ? name.toLowerCase().normalize('NFC') : name;
  return shape.test(alias) ? alias : null;
}

/**
 * The first part of every path that the service has or that the clients of other services post to. A form with such an
 * alias would not be found at `/{alias}`.
 */
const servicePaths: ReadonlySet<string> = new Set([
  ...['f', 'p', 's', 'submit', 'ajax'],
  ...['api', 'dashboard', 'docs', 'openapi.json', 'assets', 'inlet.js', 'inlet-solver.js', 'inlet-embed.js'],
  ...['healthz', 'readyz', 'metrics', 'favicon.ico', 'robots.txt', '.well-known'],
  // What a browser resolves before it sends the request.
  ...['.', '..'],
]);

/** Below /f/, `.json` at the end belongs to the path (http/submit/dialects). */
export const isServicePath = (alias: string): boolean => servicePaths.has(alias) || alias.endsWith('.json');
