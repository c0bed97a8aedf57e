/** A real OpenID provider, a browser's way through it, and a provider that lies. */
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Configuration } from 'oidc-provider';
import { nextAddress } from './dashboard.js';

export const clientId = 'inlet';
export const clientSecret = 'a secret of the client, long enough';

export interface RealProvider {
  readonly issuer: string;
  /** The claims of each person, by what they type to sign in. */
  readonly people: Record<string, Record<string, unknown>>;
  /** From now on browsers may return to this address. */
  allow(callbackUrl: string): void;
  /** Replaces the keys. */
  rotateKeys(): void;
  close(): Promise<void>;
}

const listening = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

const bodyOf = async (request: IncomingMessage): Promise<URLSearchParams> => {
  let text = '';
  for await (const chunk of request) text += chunk;
  return new URLSearchParams(text);
};

const newKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 });

export async function startRealProvider(): Promise<RealProvider> {
  const people: RealProvider['people'] = {};
  let provider: Provider | undefined;
  let callbacks: string[] = [];
  const server = createServer((request, response) => {
    if (provider === undefined) return response.writeHead(503).end();
    if (!request.url?.startsWith('/sign-in/')) return provider.callback()(request, response);
    return signInPage(provider, request, response).catch((error) =>
      response.writeHead(500).end(String(error)),
    );
  });
  const issuer = await listening(server);
  const build = (): void => {
    const { privateKey } = newKey();
    const configuration: Configuration = {
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: callbacks,
          post_logout_redirect_uris: callbacks.map((url) => `${new URL(url).origin}/dashboard/`),
        },
      ],
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['groups'] },
      cookies: { keys: ['only for tests'] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context, { uid }) => `/sign-in/${uid}` },
      pkce: { required: () => true },
      findAccount: (_context, id) => ({
        accountId: id,
        claims: async () => ({ sub: id, ...people[id] }),
      }),
      async loadExistingGrant({ oidc }) {
        const grant = new oidc.provider.Grant({
          clientId: oidc.client?.clientId ?? '',
          accountId: oidc.session?.accountId ?? '',
        });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    };
    provider = new Provider(issuer, configuration);
  };
  return {
    issuer,
    people,
    allow(callbackUrl) {
      callbacks = [...callbacks, callbackUrl];
      build();
    },
    rotateKeys: build,
    close: () => closed(server),
  };
}

async function signInPage(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'GET') {
    response.setHeader('content-type', 'text/html');
    response.end('<form method=post><label>Name <input name=login></label><button>Sign in</button></form>');
    return;
  }
  const login = (await bodyOf(request)).get('login') ?? '';
  const result =
    login === '' ? { error: 'access_denied', error_description: 'no' } : { login: { accountId: login } };
  await provider.interactionFinished(request, response, result);
}

export interface Landing {
  /** Where the browser ended up. */
  readonly location: string;
  /** Cookies of Inlet, by name. */
  readonly cookies: ReadonlyMap<string, string>;
  /** The callback URL that the provider redirected to, with its query. */
  readonly callback: string;
}

/** Follows redirects like a browser, and types the name at the provider. An empty name denies access. */
export async function travel(
  start: string,
  login: string,
  withCookies: ReadonlyMap<string, string> = new Map(),
): Promise<Landing> {
  const home = new URL(start).origin;
  const jars = new Map<string, Map<string, string>>([[home, new Map(withCookies)]]);
  let [url, callback] = [start, ''];
  // Its own address, so that the limit per address does not matter where the server trusts the header.
  const from = nextAddress();
  let body: string | null = null;
  for (let steps = 0; steps < 20; steps += 1) {
    const { origin, pathname } = new URL(url);
    if (origin === home && pathname.startsWith('/dashboard'))
      return { location: url.slice(home.length), cookies: jars.get(home) ?? new Map(), callback };
    if (pathname.endsWith('/callback')) callback = url;
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    const response: Response = await fetch(url, {
      redirect: 'manual',
      headers: {
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
        'x-forwarded-for': from,
      },
      ...(body === null ? {} : { method: 'POST', body: new URLSearchParams(body) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split(/=(.*)/s);
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    const next = response.headers.get('location');
    body = next === null && pathname.startsWith('/sign-in/') ? `login=${login}` : null;
    if (next === null && body === null)
      throw new Error(`${url}: ${response.status} ${await response.text()}`);
    if (next !== null) url = new URL(next, url).href;
  }
  throw new Error('The way has no end');
}

/** What a lying provider puts into its ID token, and how it signs it. */
export interface Lie {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly algorithm?: 'RS256' | 'none' | 'HS256';
  /** Signs with a key that is not published. */
  readonly withOtherKey?: boolean;
  /** What its metadata says instead. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** What its userinfo endpoint says, besides the token. */
  readonly userinfo?: Readonly<Record<string, unknown>>;
}

export interface LyingProvider {
  readonly issuer: string;
  lie: Lie;
  /** While this is set, no request gets a response. */
  isHanging: boolean;
  close(): Promise<void>;
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export async function startLyingProvider(nonceOf: () => string): Promise<LyingProvider> {
  const [published, hidden] = [newKey(), newKey()];
  const publicJwk = {
    ...published.publicKey.export({ format: 'jwk' }),
    use: 'sig',
    alg: 'RS256',
    kid: 'one',
  };
  const state = { lie: {} as Lie, isHanging: false };
  const signature = (text: string, { algorithm = 'RS256', withOtherKey = false }: Lie): string => {
    if (algorithm === 'none') return '';
    const pem = published.publicKey.export({ format: 'pem', type: 'spki' });
    if (algorithm === 'HS256') return createHmac('sha256', pem).update(text).digest('base64url');
    const key: KeyObject = withOtherKey ? hidden.privateKey : published.privateKey;
    return sign('sha256', Buffer.from(text), key).toString('base64url');
  };
  const idToken = (issuer: string): string => {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      ...{ iss: issuer, aud: clientId, sub: 'liar', iat: now, exp: now + 300, nonce: nonceOf() },
      ...{ email: 'ada@example.com', email_verified: true },
      ...state.lie.claims,
    };
    const text = `${encoded({ alg: state.lie.algorithm ?? 'RS256', kid: 'one' })}.${encoded(claims)}`;
    return `${text}.${signature(text, state.lie)}`;
  };
  const server = createServer((request, response) => {
    if (state.isHanging) return;
    const answer = (body: unknown) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/.well-known/openid-configuration')
      return answer({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
        ...(state.lie.userinfo && { userinfo_endpoint: `${issuer}/userinfo` }),
        ...state.lie.metadata,
      });
    if (request.url === '/userinfo') return answer(state.lie.userinfo);
    if (request.url === '/keys') return answer({ keys: [publicJwk] });
    return answer({ access_token: 'x', token_type: 'Bearer', id_token: idToken(issuer) });
  });
  const issuer = await listening(server);
  return Object.assign(state, { issuer, close: () => closed(server) });
}
