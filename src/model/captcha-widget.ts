/** The script of each provider's widget, and the class of the element that it fills. The built-in CAPTCHA needs neither. */
import type { CaptchaProvider, Form } from './form.js';

type WidgetProvider = Exclude<CaptchaProvider, 'altcha'>;

export interface CaptchaWidget {
  readonly provider: WidgetProvider;
  readonly script: string;
  readonly mark: string;
}

const widgets: Readonly<Record<WidgetProvider, Omit<CaptchaWidget, 'provider'>>> = {
  turnstile: { script: 'https://challenges.cloudflare.com/turnstile/v0/api.js', mark: 'cf-turnstile' },
  hcaptcha: { script: 'https://js.hcaptcha.com/1/api.js', mark: 'h-captcha' },
  recaptcha: { script: 'https://www.google.com/recaptcha/api.js', mark: 'g-recaptcha' },
};

type Captcha = Pick<Form, 'captchaEnabled' | 'captchaProvider'>;

/** Returns null when the form uses no CAPTCHA or the built-in one. */
export const widgetOf = ({ captchaEnabled, captchaProvider: provider }: Captcha): CaptchaWidget | null =>
  captchaEnabled && provider !== 'altcha' ? { provider, ...widgets[provider] } : null;

/** Whether the browser script solves the built-in challenge. */
export const solvesChallenge = ({ captchaEnabled, captchaProvider }: Captcha): boolean =>
  captchaEnabled && captchaProvider === 'altcha';
