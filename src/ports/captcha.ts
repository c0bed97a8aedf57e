/** What stands between a form and bots: a visitor's token is checked, and where Inlet asks itself, the question is made. */
import type { CaptchaProvider } from '../model/form.js';

export interface CaptchaCheck {
  readonly provider: CaptchaProvider;
  readonly siteKey: string | null;
  readonly secretKey: string | null;
  /** As the visitor sent it: of any length and content. */
  readonly token: string;
  /** null: the form keeps it to itself. */
  readonly remoteIp: string | null;
  readonly formId: string;
}

export type CaptchaVerdict = 'passed' | 'failed' | 'unavailable';

export interface CaptchaVerifier {
  /**
   * A token passes once. 'unavailable': the provider gave no answer, or does not take ours; the visitor is not to blame
   * and must be asked to try again. Rejects only for faults of the store.
   */
  verify(check: CaptchaCheck): Promise<CaptchaVerdict>;
}

export interface ChallengeMaker {
  /** A fresh challenge as JSON text; its solution passes at this form alone. */
  challenge(formId: string): Promise<string>;
}
