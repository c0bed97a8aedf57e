/** Where the widget of each provider comes from, and the class of the element that its script fills. Ours needs none. */
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

/** null: the form asks for none, or for ours. */
export const widgetOf = ({ captchaEnabled, captchaProvider: provider }: Captcha): CaptchaWidget | null =>
  captchaEnabled && provider !== 'altcha' ? { provider, ...widgets[provider] } : null;

/** Whether the browser script solves our challenge. */
export const solvesChallenge = ({ captchaEnabled, captchaProvider }: Captcha): boolean =>
  captchaEnabled && captchaProvider === 'altcha';
