import { createPrivateKey } from 'node:crypto';
import { invalid, type SettingType, valid } from './setting-type.js';

const leastBits = 1024;

/** A DKIM signing key. `\n` is accepted for line breaks, which are awkward in environment variables. */
export const rsaPrivateKey: SettingType<string> = {
  expects: `an RSA private key in PEM, without a passphrase, of at least ${leastBits} bits`,
  parse(value) {
    const pem = value.replaceAll('\\n', '\n').trim();
    try {
      const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem);
      if (asymmetricKeyType !== 'rsa') return invalid('is not an RSA key');
      return (asymmetricKeyDetails?.modulusLength ?? 0) < leastBits ? invalid('is too short') : valid(pem);
    } catch {
      return invalid('cannot be read as a private key');
    }
  },
};
