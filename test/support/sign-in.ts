/** The mails that let people sign in, and an authenticator app. */
import { totpCode, totpStepAt } from '#inlet/kernel/totp.js';
import type { MailServer } from './mail-server.js';
import { mailsTo } from './opt-in.js';
import { becomes } from './webhooks.js';

export const mailing = ({ url }: { url: string }) => ({
  SMTP_URL: url,
  MAIL_FROM: 'Inlet <inlet@forms.example.com>',
  API_RATE_LIMIT_PER_MINUTE: '1000000',
});

/** All mails to the address with this subject, once there are `count` of them. */
export const mailsAbout = async (mails: MailServer, address: string, subject: string, count = 1) => {
  const found = await becomes(
    async () => (await mailsTo(mails, address)).filter(({ parsed }) => parsed.subject === subject),
    (some) => some.length >= count,
  );
  return found.map(({ parsed }) => parsed);
};

/** The token of a link to a page of the dashboard. */
export const tokenIn = (text: string | undefined, page: string): string => {
  const token = new RegExp(`/dashboard/${page}#token=([\\w-]{43})`).exec(text ?? '')?.[1];
  if (token === undefined) throw new Error(`no link to ${page} in: ${text}`);
  return token;
};

/** The token in the last of these mails. */
export const tokenFor = async (
  mails: MailServer,
  address: string,
  subject: string,
  page: string,
  count = 1,
): Promise<string> => tokenIn((await mailsAbout(mails, address, subject, count)).at(-1)?.text, page);

export const resetTokenFor = (mails: MailServer, address: string, count = 1): Promise<string> =>
  tokenFor(mails, address, 'Set a new password', 'reset-password', count);

/** What the app shows now, or this many steps of 30 seconds later. */
export const codeOf = (secret: string, stepsLater = 0): string =>
  totpCode(secret, totpStepAt(Date.now()) + stepsLater);
