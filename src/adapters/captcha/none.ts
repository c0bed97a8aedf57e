/**
 * The verifier of an installation without a CAPTCHA provider.
 *
 * It answers 'unavailable' and never 'passed': a form whose owner asked for a CAPTCHA must not take
 * submissions unchecked because nobody is there to check. 'failed' would be wrong too: it blames the visitor.
 */
import type { CaptchaVerifier } from '../../ports/captcha.js';

export function noCaptcha(): CaptchaVerifier {
  return { verify: async () => 'unavailable' };
}
