/**
 * Shows field errors, each next to its input. Text from the server is set as text, never as markup. A page may place a message
 * itself: `<span data-inlet-error="email"></span>`.
 */
import { unhidden } from './unhidden.js';

export interface FieldError {
  readonly field: string;
  readonly message: string;
}

export interface ShownErrors {
  /** Errors without a visible input. */
  readonly others: readonly FieldError[];
  /** The first marked input in page order, which may differ from the order of the rules. */
  readonly first: HTMLElement | undefined;
}

/** By form and by input: the function that removes its messages. */
const clearers = new WeakMap<EventTarget, () => void>();
let count = 0;

export function clearErrors(target: EventTarget | null): void {
  const clear = target && clearers.get(target);
  if (clear) clear();
}

/** The message goes after the input and its label: inside the label, it would become part of the input's accessible name. */
const endOf = (input: HTMLInputElement): Element =>
  [...(input.labels || [])].reduce<Element>(
    // The label follows the input (4), or contains it (8).
    (end, label) => (input.compareDocumentPosition(label) & 12 ? label : end),
    input,
  );

/** One message for all inputs with the same name. */
function mark(form: HTMLFormElement, { field, message }: FieldError, inputs: HTMLInputElement[]): () => void {
  const placed = [...unhidden(form).querySelectorAll<HTMLElement>('[data-inlet-error]')].find(
    ({ dataset }) => dataset.inletError === field,
  );
  const place = placed || document.createElement('span');
  if (!placed) {
    place.dataset.inletError = field;
    // In a grid layout, it gets its own row.
    place.style.cssText = 'display:block;grid-column:1/-1;color:var(--inlet-error,#d93036)';
    for (const input of inputs.slice(-1)) endOf(input).after(place);
  }
  count += 1;
  place.id = place.id || `inlet-error-${count}`;
  place.textContent = message;
  const undo = inputs.map((input) => {
    const before = input.getAttribute('aria-describedby');
    input.setAttribute('aria-invalid', 'true');
    input.setAttribute('aria-describedby', before ? `${before} ${place.id}` : place.id);
    return () => {
      input.removeAttribute('aria-invalid');
      if (before) input.setAttribute('aria-describedby', before);
      else input.removeAttribute('aria-describedby');
      clearers.delete(input);
    };
  });
  const clear = (): void => {
    for (const step of undo.splice(0)) step();
    place.textContent = '';
    if (!placed) place.remove();
  };
  for (const input of inputs) clearers.set(input, clear);
  return clear;
}

export function showErrors(form: HTMLFormElement, errors: readonly FieldError[]): ShownErrors {
  // An input without a box is hidden, by its type or by the page.
  const seen = ([...unhidden(form).elements] as HTMLInputElement[]).filter(
    (input) => input.getClientRects().length,
  );
  const inputsOf = ({ field }: FieldError): HTMLInputElement[] =>
    seen.filter(({ name }) => name === field || name === `${field}[]`);
  const others = errors.filter((error) => !inputsOf(error)[0]);
  const clears = errors
    .filter((error) => !others.includes(error))
    .map((error) => mark(form, error, inputsOf(error)));
  clearers.set(form, () => {
    for (const clear of clears) clear();
  });
  return { others, first: seen.find((input) => clearers.has(input)) };
}

for (const type of ['input', 'change', 'reset'])
  document.addEventListener(type, ({ target }) => clearErrors(target), true);
