/**
 * Chooses a visitor's language from Accept-Language (RFC 9110, 12.5.4), in bounded time.
 * The result is always a supported language. Entries that cannot be parsed are ignored.
 */

/** From the subtag that browsers request to the tag for `lang` and Content-Language. */
export const languageTags = { en: 'en', de: 'de', fr: 'fr', es: 'es', zh: 'zh-Hans' } as const;

export type Language = keyof typeof languageTags;

const maxHeaderLength = 512;
const maxEntries = 20;

const isLanguage = (primary: string): primary is Language => Object.hasOwn(languageTags, primary);

/** RFC 9110, 12.4.2: at most three decimals, and at most 1. */
const weightShape = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i;

function weightOf(parameter: string | undefined): number {
  if (parameter === undefined) return 1;
  const [, weight] = weightShape.exec(parameter.trim()) ?? [];
  return weight === undefined ? 0 : Number(weight);
}

/** The supported language with the highest weight, the first of equals. English for `*`, and if nothing matches. */
export function chooseLanguage(header: string | undefined): Language {
  if (header === undefined) return 'en';
  const entries = header.slice(0, maxHeaderLength).split(',', maxEntries + 1);
  // The cut may have removed the weight of the last entry, which would then count as 1.
  if (header.length > maxHeaderLength || entries.length > maxEntries) entries.pop();
  let best: Language = 'en';
  let bestWeight = 0;
  for (const entry of entries) {
    const [range = '', parameter] = entry.split(';');
    const [subtag = ''] = range.trim().toLowerCase().split('-', 1);
    const primary = subtag === '*' ? 'en' : subtag;
    if (!isLanguage(primary)) continue;
    const weight = weightOf(parameter);
    if (weight > bestWeight) [best, bestWeight] = [primary, weight];
  }
  return best;
}
