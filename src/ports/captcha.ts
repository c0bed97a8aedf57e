/** Asks a CAPTCHA provider whether a visitor's token is good. */
import type { CaptchaProvider } from '../model/form.js';

export interface CaptchaCheck {
  readonly provider: CaptchaProvider;
  readonly secretKey: string | null;
  readonly token: string;
  readonly remoteIp: string;
  readonly formId: string;
}

export interface CaptchaVerifier {
  /** 'unavailable': the provider gave no answer; the visitor must be asked to try again. */
  verify(check: CaptchaCheck): Promise<'passed' | 'failed' | 'unavailable'>;
}
