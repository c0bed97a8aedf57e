/** Hands a token to whom it is for: the proof of work is checked here, the others by those who handed it out. */
import type { CaptchaVerifier } from '../../ports/captcha.js';

export const captchaByProvider = (parts: {
  readonly altcha: CaptchaVerifier;
  readonly siteverify: CaptchaVerifier;
}): CaptchaVerifier => ({
  verify: (check) => (check.provider === 'altcha' ? parts.altcha : parts.siteverify).verify(check),
});
