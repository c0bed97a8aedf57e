/** Protects forms from bots: checks visitors' tokens, and creates the challenge where Inlet itself is the provider. */
import type { CaptchaProvider } from '../model/form.js';

export interface CaptchaCheck {
  readonly provider: CaptchaProvider;
  readonly siteKey: string | null;
  readonly secretKey: string | null;
  /** As the visitor sent it: of any length and content. */
  readonly token: string;
  /** null when the form does not store IP addresses. */
  readonly remoteIp: string | null;
  readonly formId: string;
}

export type CaptchaVerdict = 'passed' | 'failed' | 'unavailable';

export interface CaptchaVerifier {
  /**
   * A token passes once. 'unavailable': the provider did not respond, or does not accept our request; the visitor is not to
   * blame and must be asked to try again. Rejects only when the store fails.
   */
  verify(check: CaptchaCheck): Promise<CaptchaVerdict>;
}

export interface ChallengeMaker {
  /** A fresh challenge as JSON text. Its solution passes only at this form. */
  challenge(formId: string): Promise<string>;
}
