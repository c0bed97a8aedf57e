/** Forms with double opt-in, and the mails that they send. */
import PostalMime from 'postal-mime';
import { type Client, client, type MadeForm, makeForm, request } from './client.js';
import type { MailServer } from './mail-server.js';
import { becomes, submit } from './webhooks.js';

export const mailing = ({ url }: { url: string }) => ({
  SMTP_URL: url,
  MAIL_FROM: 'Inlet <inlet@forms.example.com>',
  API_RATE_LIMIT_PER_MINUTE: '1000000',
  WEBHOOK_RETRY_DELAYS: '0.2,0.3,0.4,0.5',
});

export const makeOptInForm = (
  url: string,
  form: Record<string, unknown> = {},
  project: Record<string, unknown> = {},
): Promise<MadeForm> =>
  makeForm(url, { project, form: { name: 'Newsletter', double_opt_in: { field: 'email' }, ...form } });

export const mailsTo = async (mails: MailServer, address: string) =>
  Promise.all(
    mails.mails
      .filter(({ to }) => to.includes(address))
      .map(async ({ raw }) => ({ raw, parsed: await PostalMime.parse(raw) })),
  );

export const linkIn = (text: string | undefined): string => {
  const link = /https?:\S+\/confirm\/[\w.-]+/.exec(text ?? '')?.[0];
  if (link === undefined) throw new Error(`no link in: ${text}`);
  return link;
};

/** The link in the mail to this address, once it has arrived. */
export const linkFor = async (mails: MailServer, address: string): Promise<string> => {
  const [mail] = await becomes(
    () => mailsTo(mails, address),
    (found) => found.length > 0,
  );
  return linkIn(mail?.parsed.text);
};

export const confirm = (link: string, headers: Record<string, string> = {}) =>
  request(link, { method: 'POST', headers });

/** A submission whose mail has arrived. */
export async function asked(
  form: MadeForm,
  mails: MailServer,
  address: string,
  more: Record<string, unknown> = {},
): Promise<{ readonly id: string; readonly link: string }> {
  const id = await submit(form.endpoint, { email: address, ...more });
  return { id, link: await linkFor(mails, address) };
}

export const idsIn = async (api: Client, path: string): Promise<readonly string[]> =>
  (await api.get(path)).body.data.map(({ id }: { id: string }) => id);

export const confirmationOf = async (url: string, id: string) =>
  (await client(url).get(`/api/v1/submissions/${id}`)).body.confirmation;
