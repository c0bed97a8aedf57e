/** Third-party CAPTCHA widgets. Their tokens are single-use: without a reset, the next request would carry a spent one. */
import { unhidden } from './unhidden.js';

interface Widgets {
  reset(id: string | number): void;
}

/** The global they define, the field they fill in, and how to get the widget from the id of that field. */
const kinds: readonly (readonly [string, string, (fieldId: string) => string | number])[] = [
  ['turnstile', 'cf-turnstile-response', (id) => id.replace('_response', '')],
  // It also fills in reCAPTCHA's field, so it comes first.
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
      // Embedded in a way we do not know: the page's own script has to reset it.
    }
    return;
  }
}
