/**
 * Aliases: the names that a form had at another form service. Paths, body fields and the management API all normalize an
 * alias with `aliasOf`, so that they find the same form.
 */

export interface FormAlias {
  /** Ids are in the order in which aliases were added. */
  readonly id: string;
  readonly alias: string;
  readonly formId: string;
  readonly createdAt: number;
}

export const maxAliasLength = 200;
export const maxAliasesPerForm = 1_000;

/** Excludes control characters, lone surrogates, line breaks, and characters that change the direction of the text. */
const shape = new RegExp(`^[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Bidi_Control}]{1,${maxAliasLength}}$`, 'u');
/** Visitors choose the text. Anything longer has too many characters in every spelling. */
const maxSpelling = 10 * maxAliasLength;

/**
 * Returns the only spelling under which an alias is stored and looked up, or null when the text cannot be an alias. Case
 * does not matter in e-mail addresses; ids and access keys are exact.
 */
export function aliasOf(text: string): string | null {
  if (text.length > maxSpelling) return null;
  const name = text.normalize('NFC').trim();
  // Normalized twice, because lower-casing normalized text can denormalize it.
  const alias = name.includes('@') ? name.toLowerCase().normalize('NFC') : name;
  return shape.test(alias) ? alias : null;
}

/**
 * The first segment of every path that the service has or that clients of other services post to. A form with such an
 * alias would not be found at `/{alias}`.
 */
const servicePaths: ReadonlySet<string> = new Set([
  ...['f', 'p', 's', 'submit', 'ajax'],
  ...['api', 'dashboard', 'docs', 'openapi.json', 'assets', 'inlet.js', 'inlet-solver.js', 'inlet-embed.js'],
  ...['healthz', 'readyz', 'metrics', 'favicon.ico', 'robots.txt', '.well-known'],
  // Browsers resolve these before they send the request.
  ...['.', '..'],
]);

/** Below /f/, a trailing `.json` belongs to the path (http/submit/dialects). */
export const isServicePath = (alias: string): boolean => servicePaths.has(alias) || alias.endsWith('.json');
