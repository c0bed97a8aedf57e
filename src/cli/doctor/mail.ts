/** `inlet doctor --mail`: sends a test mail, and checks whether other servers will accept it as authentic. */
import { createPublicKey } from 'node:crypto';
import dns from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { sendTestMail } from '../../compose/probes.js';
import type { Config } from '../../config/options.js';
import { type Check, fail, ok, skip, warn } from './check.js';

const lookUpWithinMs = 3_000;

/** The TXT records of a name, each as one text; `unknown` says why they could not be looked up. */
type TxtRecords = { readonly texts: readonly string[] } | { readonly unknown: string };
type LookUpTxt = (name: string) => Promise<TxtRecords>;

export async function mailChecks(config: Config, address: string): Promise<readonly Check[]> {
  const { smtpUrl, mailFrom } = config;
  if (smtpUrl === null || mailFrom === null) {
    return [
      fail(
        'test mail',
        'no mail server is set here (SMTP_URL and MAIL_FROM)',
        'Set both, then run it again.',
      ),
    ];
  }
  const sent = await testMail(config, address);
  const domain = domainOf(mailFrom);
  const server = URL.canParse(smtpUrl) ? new URL(smtpUrl).hostname : '';
  return [sent, ...(await recordChecks({ domain, server, dkim: dkimOf(config) }, lookUpTxt()))];
}

const domainOf = (mailFrom: string): string =>
  mailFrom
    .slice(mailFrom.lastIndexOf('@') + 1)
    .replace(/[> ]/g, '')
    .toLowerCase();

async function testMail(config: Config, address: string): Promise<Check> {
  const outcome = await sendTestMail(config, address);
  if (outcome.kind === 'sent') {
    return ok(
      'test mail',
      `the mail server took it for ${address}; look for it there, also in the spam folder`,
    );
  }
  const next = outcome.permanent
    ? 'Read what the mail server says: it does not take mails from MAIL_FROM, or not to this address.'
    : 'Check SMTP_URL and the mail server, then try again.';
  return fail('test mail', outcome.detail, next);
}

interface Signing {
  readonly domain: string;
  readonly selector: string;
  /** As it must be published. */
  readonly publicKey: string;
}

function dkimOf({ dkimDomain, dkimSelector, dkimPrivateKey }: Config): Signing | null {
  if (dkimDomain === null || dkimSelector === null || dkimPrivateKey === null) return null;
  const publicKey = createPublicKey(dkimPrivateKey).export({ type: 'spki', format: 'der' });
  return { domain: dkimDomain, selector: dkimSelector, publicKey: publicKey.toString('base64') };
}

/** Short timeouts, so that without a network the other checks still run. */
function lookUpTxt(): LookUpTxt {
  const resolver = new Resolver({ timeout: lookUpWithinMs, tries: 1 });
  // Called through the module, so that a replaced `getServers` is used.
  resolver.setServers(dns.getServers());
  return async (name) => {
    try {
      return { texts: (await resolver.resolveTxt(name)).map((parts) => parts.join('')) };
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
      return code === 'ENOTFOUND' || code === 'ENODATA' ? { texts: [] } : { unknown: code };
    }
  };
}

async function recordChecks(
  { domain, server, dkim }: { domain: string; server: string; dkim: Signing | null },
  lookUp: LookUpTxt,
): Promise<readonly Check[]> {
  const [spf, signing, dmarc] = await Promise.all([
    lookUp(domain).then((found) => spfCheck(domain, server, found)),
    dkim === null ? noDkim : lookUp(dkimName(dkim)).then((found) => dkimCheck(domain, dkim, found)),
    dmarcCheck(domain, lookUp),
  ]);
  return [spf, signing, dmarc];
}

const noAnswer = (name: string, record: string, { unknown }: { readonly unknown: string }): Check =>
  skip(name, `the TXT records of ${record} could not be looked up (${unknown}): no name server responded`);

const startsWith = (texts: readonly string[], version: string): readonly string[] =>
  texts.filter((text) => new RegExp(`^${version}(?:[ ;]|$)`, 'i').test(text.trim()));

const toAdd = (name: string, value: string): string => `Add a TXT record: ${name} → "${value}"`;

/** SPF: which servers may send mails of the domain. */
function spfCheck(domain: string, server: string, found: TxtRecords): Check {
  if ('unknown' in found) return noAnswer('SPF', domain, found);
  const [record, ...others] = startsWith(found.texts, 'v=spf1');
  if (record === undefined) {
    const value = `v=spf1 ${server === '' ? 'mx' : `a:${server}`} ~all`;
    return warn(
      'SPF',
      `${domain} does not say which servers send its mail`,
      `${toAdd(domain, value)}. If a provider sends your mail, use the "include:" that it names.`,
    );
  }
  if (others.length > 0)
    return warn(
      'SPF',
      `${domain} has ${others.length + 1} SPF records, so that none counts`,
      'Merge them into one.',
    );
  return ok('SPF', `${domain}: "${record}". Make sure that it names ${server || 'your mail server'}`);
}

const dkimName = ({ domain, selector }: Signing): string => `${selector}._domainkey.${domain}`;

const noDkim: Check = skip(
  'DKIM',
  'mails are not signed here (DKIM_DOMAIN, DKIM_SELECTOR, DKIM_PRIVATE_KEY); your mail server may do it: look for ' +
    '"dkim=pass" in the headers of the test mail',
);

/** DKIM: a signature that only the owner of the private key can make. */
function dkimCheck(sender: string, dkim: Signing, found: TxtRecords): Check {
  const name = dkimName(dkim);
  if ('unknown' in found) return noAnswer('DKIM', name, found);
  const add = toAdd(name, `v=DKIM1; k=rsa; p=${dkim.publicKey}`);
  const published = found.texts.map(publishedKey).filter((key) => key !== null);
  if (published.length === 0) return warn('DKIM', `mails are signed, but ${name} has no key`, add);
  if (!published.includes(dkim.publicKey))
    return fail('DKIM', `the key at ${name} is not the one of DKIM_PRIVATE_KEY`, `Replace it. ${add}`);
  if (sender !== dkim.domain && !sender.endsWith(`.${dkim.domain}`))
    return warn(
      'DKIM',
      `mails are signed for ${dkim.domain}, but MAIL_FROM is at ${sender}`,
      'Set DKIM_DOMAIN to the domain of MAIL_FROM: DMARC does not count another one.',
    );
  return ok('DKIM', `mails are signed, and ${name} has the key`);
}

function publishedKey(text: string): string | null {
  const key = /(?:^|;)\s*p\s*=([A-Za-z0-9+/=\s]*)/.exec(text)?.[1]?.replace(/\s/g, '');
  return key === undefined || key === '' ? null : key;
}

/** DMARC: what other servers do with mails that pass neither SPF nor DKIM. The record of a parent domain covers its subdomains. */
async function dmarcCheck(domain: string, lookUp: LookUpTxt): Promise<Check> {
  const labels = domain.split('.');
  // Records of top-level domains do not count.
  for (let from = 0; from < Math.max(1, labels.length - 1); from += 1) {
    const name = `_dmarc.${labels.slice(from).join('.')}`;
    const found = await lookUp(name);
    if ('unknown' in found) return noAnswer('DMARC', name, found);
    const [record] = startsWith(found.texts, 'v=DMARC1');
    if (record !== undefined) return ok('DMARC', `${name}: "${record}"`);
  }
  return warn(
    'DMARC',
    `${domain} does not say what to do with forged mails; large providers expect it`,
    toAdd(`_dmarc.${domain}`, `v=DMARC1; p=none; rua=mailto:postmaster@${domain}`),
  );
}
