/**
 * Reads SMTP_URL and MAIL_FROM. Only known parameters are accepted: passed on unchecked, they could disable the
 * timeouts or make the mail library write the whole conversation, including passwords, to the console.
 */

export interface SmtpServer {
  readonly host: string;
  /** Undefined means 465 if secure, else 587. */
  readonly port: number | undefined;
  /** TLS from the first byte. Otherwise STARTTLS if the server offers it. */
  readonly secure: boolean;
  readonly auth: { readonly user: string; readonly pass: string } | undefined;
  readonly options: Readonly<Record<string, string | boolean>>;
  readonly tls: Readonly<Record<string, string | boolean>>;
}

const flags = new Set(['requireTLS', 'ignoreTLS', 'opportunisticTLS', 'tls.rejectUnauthorized']);
const texts = new Set(['name', 'authMethod', 'tls.servername']);
const implicitTlsPort = 465;

export function parseSmtpUrl(text: string): SmtpServer {
  const url = new URL(text);
  const port = url.port === '' ? undefined : Number(url.port);
  const options: Record<string, string | boolean> = {};
  const tls: Record<string, string | boolean> = {};
  for (const [name, value] of url.searchParams) {
    const target = name.startsWith('tls.') ? tls : options;
    target[name.replace(/^tls\./, '')] = parameter(name, value);
  }
  return {
    host: decoded(url.hostname).replace(/^\[(.*)\]$/, '$1'),
    port,
    secure: url.protocol === 'smtps:' || port === implicitTlsPort,
    auth:
      url.username || url.password ? { user: decoded(url.username), pass: decoded(url.password) } : undefined,
    options,
    tls,
  };
}

function parameter(name: string, value: string): string | boolean {
  if (texts.has(name)) return value;
  if (!flags.has(name)) {
    const known = [...flags, ...texts].join(', ');
    throw new Error(`SMTP_URL has the unknown parameter "${name}"; known are ${known}`);
  }
  if (value !== 'true' && value !== 'false') {
    throw new Error(`SMTP_URL has the parameter "${name}" with a value other than true and false`);
  }
  return value === 'true';
}

/** A lone % is part of a password that was not encoded. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export interface Sender {
  readonly name: string;
  readonly address: string;
}

/** `a@b.c`, `Name <a@b.c>` or `"Name, with punctuation" <a@b.c>`. */
export function parseSender(text: string): Sender {
  const named = /^(?:"([^"]*)"|([^<"]*)) *<([^<>]+)>$/.exec(text);
  if (named === null) return { name: '', address: text };
  const [, quoted, bare = '', address = ''] = named;
  return { name: (quoted ?? bare).trim(), address };
}
