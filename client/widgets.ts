/** The CAPTCHA widgets of other services. Their token is good once: without a reset the next sending would carry a spent one. */
import { unhidden } from './unhidden.js';

interface Widgets {
  reset(id: string | number): void;
}

/** The name of what they put into the page, the field they fill in, and the widget that the id of this field names. */
const kinds: readonly (readonly [string, string, (fieldId: string) => string | number])[] = [
  ['turnstile', 'cf-turnstile-response', (id) => id.replace('_response', '')],
  // It fills in the field of reCAPTCHA as well, so it comes first.
  ['hcaptcha', 'h-captcha-response', (id) => id.replace('h-captcha-response-', '')],
  ['grecaptcha', 'g-recaptcha-response', (id) => Number(id.replace(/\D/g, ''))],
];

export function resetWidget(form: HTMLFormElement): void {
  for (const [name, field, widgetOf] of kinds) {
    const filled = unhidden(form).querySelector(`[name=${field}]`);
    if (!filled) continue;
    try {
      (window as unknown as Record<string, Widgets>)[name]?.reset(widgetOf(filled.id));
    } catch {
      // Placed in a way that we do not know: the page's own script has to reset it.
    }
    return;
  }
}
