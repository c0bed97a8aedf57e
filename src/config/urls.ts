/**
 * Settings that are URLs. Web URLs are normalised. URLs of other services stay as written, because their
 * drivers parse them by their own rules. Only these can contain a password, and `maskUrl` hides it.
 */
import { invalid, type Parsed, type SettingType, valid } from './setting-type.js';

const notUrl = 'is not a URL';

/** An http or https URL without credentials: they would appear in every page and mail that links to it. */
export const webUrl: SettingType<string> = {
  expects: 'an http:// or https:// URL without user and password',
  parse(text) {
    const url = parseWebUrl(text);
    return url.ok ? valid(url.value.href) : url;
  },
};

/** The start of every link. A path stays, but trailing slashes are removed, so that `{base_url}/f/…` has no double slash. */
export const linkPrefixUrl: SettingType<string> = {
  expects: 'an http:// or https:// URL without user, password, query and fragment; a path is allowed',
  parse(text) {
    const url = parseWebUrl(text);
    if (!url.ok) return url;
    if (/[?#]/.test(text)) return invalid('has a query or a fragment');
    return valid(url.value.origin + url.value.pathname.replace(/\/+$/, ''));
  },
};

/** The URL of a database, cache or mail server. */
export const serviceUrl = (schemes: readonly string[], example: string): SettingType<string> => ({
  expects: `a URL such as ${example}`,
  parse(text) {
    const schemeFits = schemes.some((scheme) => text.toLowerCase().startsWith(`${scheme}://`));
    if (!schemeFits) return invalid(`does not start with ${schemes.map((s) => `${s}://`).join(' or ')}`);
    const url = parseUrl(text);
    if (url === null) return invalid(`${notUrl} (write special characters of a password as %XX)`);
    // For PostgreSQL over a socket, the host is a parameter.
    return url.host || url.searchParams.get('host') ? valid(text) : invalid('names no host');
  },
});

/** An allowlist: other parameters could disable our timeouts or write the SMTP conversation to the console. */
const mailFlags = ['requireTLS', 'ignoreTLS', 'opportunisticTLS', 'tls.rejectUnauthorized'];
const mailTexts = ['name', 'authMethod', 'tls.servername'];

/** `smtp://` upgrades with STARTTLS where the server offers it; `smtps://` and port 465 are TLS from the start. */
export const mailServerUrl: SettingType<string> = {
  expects: 'a URL such as smtp://user:password@host:587',
  parse(text) {
    const url = serviceUrl(['smtp', 'smtps'], 'smtp://user:password@host:587').parse(text);
    if (!url.ok) return url;
    for (const [name, value] of new URL(text).searchParams) {
      if (mailTexts.includes(name)) continue;
      if (!mailFlags.includes(name)) {
        return invalid(
          `has the unknown parameter ${name} (known: ${[...mailFlags, ...mailTexts].join(', ')})`,
        );
      }
      if (value !== 'true' && value !== 'false') return invalid(`has ${name} neither true nor false`);
    }
    return url;
  },
};

const bucketParameters = ['endpoint', 'region', 'links'];

/** `s3://bucket?endpoint=…&region=…&links=off`. Credentials are not included; they come from the usual AWS variables. */
export const bucketUrl: SettingType<string> = {
  expects: 'a URL such as s3://bucket?endpoint=https://s3.example.com&region=eu-central-1',
  parse(text) {
    if (!/^s3:\/\//i.test(text)) return invalid('does not start with s3://');
    const url = parseUrl(text);
    if (url === null) return invalid(notUrl);
    if (url.username || url.password) {
      return invalid('carries credentials; they belong into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
    }
    if (!/^[a-z0-9][\w.-]{1,61}[a-z0-9]$/i.test(url.host)) return invalid('names no valid bucket');
    if (!['', '/'].includes(url.pathname) || url.hash) return invalid('has a path or a fragment');
    const names = [...url.searchParams.keys()];
    if (names.some((name) => !bucketParameters.includes(name))) {
      return invalid('has a parameter other than endpoint, region and links');
    }
    if (new Set(names).size < names.length) return invalid('has a parameter twice');
    if (!['on', 'off', null].includes(url.searchParams.get('links')))
      return invalid('has links neither on nor off');
    const endpoint = url.searchParams.get('endpoint');
    const parsed = endpoint === null ? null : parseWebUrl(endpoint);
    return parsed?.ok === false ? invalid(`has an endpoint that ${parsed.wrong}`) : valid(text);
  },
};

export function bucketOf(text: string): {
  readonly bucket: string;
  readonly endpoint: string | null;
  readonly region: string | null;
  /** Whether downloads redirect to the bucket. */
  readonly links: boolean;
} {
  const { host, searchParams } = new URL(text);
  return {
    bucket: host,
    endpoint: searchParams.get('endpoint'),
    region: searchParams.get('region') || null,
    links: searchParams.get('links') !== 'off',
  };
}

/**
 * The URL without its credentials. The user is removed too: mail services use one token for user and password.
 * Drivers also accept passwords and keys as parameters.
 */
export function maskUrl(text: string): string {
  const url = new URL(text);
  if (url.username || url.password) {
    url.username = '***';
    url.password = '';
  }
  for (const name of new Set(url.searchParams.keys())) {
    if (/pass|secret|key|token/i.test(name)) url.searchParams.set(name, '***');
  }
  return url.href;
}

const parseUrl = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null);

function parseWebUrl(text: string): Parsed<URL> {
  if (!/^https?:\/\//i.test(text)) return invalid('does not start with http:// or https://');
  const url = parseUrl(text);
  if (url === null || /\s/.test(text)) return invalid(notUrl);
  return url.username || url.password ? invalid('carries a user or a password') : valid(url);
}
