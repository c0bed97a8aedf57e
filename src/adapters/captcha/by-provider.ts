/** Routes a token to its verifier: the proof of work is checked here, other tokens by the provider that issued them. */
import type { CaptchaVerifier } from '../../ports/captcha.js';

export const captchaByProvider = (parts: {
  readonly altcha: CaptchaVerifier;
  readonly siteverify: CaptchaVerifier;
}): CaptchaVerifier => ({
  verify: (check) => (check.provider === 'altcha' ? parts.altcha : parts.siteverify).verify(check),
});
