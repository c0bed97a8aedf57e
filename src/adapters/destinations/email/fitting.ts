/** Decides how much of a submission fits into a mail: limited in bytes, and fair to small values after a large one. */

interface Sizes {
  readonly html: number;
  readonly text: number;
}

/**
 * Writes things in order, each in the first of its forms that leaves room for the shortest form of everything after it.
 * Stops at the first thing that does not fit at all, so that only the end is ever left out.
 */
export function fitting<T>(
  things: readonly (readonly (() => T)[])[],
  write: { readonly html: (thing: T) => string; readonly text: (thing: T) => string },
  max: Sizes,
): { readonly html: readonly string[]; readonly text: readonly string[] } {
  const written = (form: (() => T) | undefined) => {
    const thing = form?.();
    return thing === undefined
      ? { html: '', text: '' }
      : { html: write.html(thing), text: write.text(thing) };
  };
  const shortest = things.map((forms) => written(forms.at(-1)));
  let following = shortest.map(sizesOf).reduce(plus, { html: 0, text: 0 });
  let used: Sizes = { html: 0, text: 0 };
  const rows: { html: string[]; text: string[] } = { html: [], text: [] };
  for (const [index, forms] of things.entries()) {
    const short = shortest[index] ?? written(undefined);
    following = minus(following, sizesOf(short));
    const reserved = plus(used, following);
    const roomy = firstOf(forms.slice(0, -1), written, (form) =>
      isWithin(plus(reserved, sizesOf(form)), max),
    );
    const chosen = roomy ?? short;
    used = plus(used, sizesOf(chosen));
    if (!isWithin(used, max)) break;
    rows.html.push(chosen.html);
    rows.text.push(chosen.text);
  }
  return rows;
}

function firstOf<F, W>(
  forms: readonly F[],
  make: (form: F) => W,
  isGood: (made: W) => boolean,
): W | undefined {
  for (const form of forms) {
    const made = make(form);
    if (isGood(made)) return made;
  }
  return undefined;
}

const sizesOf = ({ html, text }: { html: string; text: string }): Sizes => ({
  html: Buffer.byteLength(html),
  text: Buffer.byteLength(text),
});
const plus = (a: Sizes, b: Sizes): Sizes => ({ html: a.html + b.html, text: a.text + b.text });
const minus = (a: Sizes, b: Sizes): Sizes => ({ html: a.html - b.html, text: a.text - b.text });
const isWithin = (sizes: Sizes, max: Sizes): boolean => sizes.html <= max.html && sizes.text <= max.text;
