/** The mailer that the settings describe. */
import { createSmtpMailer, type SmtpMailerOptions } from '../adapters/mailer/smtp.js';
import type { Config } from '../config/options.js';
import type { Mailer } from '../ports/mailer.js';

/** Returns null when no mail server is set. */
export function createMailer(
  { smtpUrl, mailFrom, dkimDomain, dkimSelector, dkimPrivateKey }: Config,
  limits: Pick<SmtpMailerOptions, 'timeoutMs' | 'poolSize'>,
): Mailer | null {
  if (smtpUrl === null || mailFrom === null) return null;
  // All three are set or none, see config/rules.ts.
  const dkim =
    dkimDomain === null || dkimSelector === null || dkimPrivateKey === null
      ? null
      : { domain: dkimDomain, selector: dkimSelector, privateKey: dkimPrivateKey };
  return createSmtpMailer({ url: smtpUrl, from: mailFrom, dkim, ...limits });
}
