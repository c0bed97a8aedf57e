/**
 * Access tokens of Google service accounts: a signed assertion is exchanged for a token that is valid for an hour (RFC 7523).
 * The key file's own `token_uri` is ignored, because an owner could write any address there.
 */
import { sign } from 'node:crypto';
import type { Clock } from '../../../kernel/clock.js';
import { judgeKey, parsedRecord, type ServiceAccount } from '../../../kernel/service-account.js';
import type { Outbound, OutboundResult } from '../../../ports/outbound.js';
import type { HttpCall } from '../http-call.js';

/** A token, the exchange that returned none, or why there was no exchange. */
export type TokenResult =
  | { readonly token: string }
  | { readonly token: null; readonly call: HttpCall; readonly result: OutboundResult }
  | { readonly token: null; readonly unusable: string };

export interface GoogleTokens {
  /** One request at a time per account. Concurrent callers share it, with the timeout of the first. */
  get(account: ServiceAccount, timeoutMs: number): Promise<TokenResult>;
  /** Call when the API has rejected the token. */
  forget(account: ServiceAccount, token: string): void;
}

/** The audience that Google expects, also behind a proxy. */
const audience = 'https://oauth2.googleapis.com/token';
const scope = 'https://www.googleapis.com/auth/spreadsheets';
const lifetimeSeconds = 3600;
/** A token is not used in its last minute, so that it is still valid when the request arrives. */
const spareMs = 60_000;
const maxTokensKept = 1_000;
const maxTokenBytes = 16 * 1024;

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function assertionOf({ clientEmail, privateKey }: ServiceAccount, now: number): string {
  const iat = Math.floor(now / 1000);
  const claims = { iss: clientEmail, scope, aud: audience, iat, exp: iat + lifetimeSeconds };
  const signed = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(claims)}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
}

export function createGoogleTokens(deps: {
  outbound: Outbound;
  clock: Clock;
  tokenUrl: string;
}): GoogleTokens {
  const { outbound, clock, tokenUrl } = deps;
  const kept = new Map<string, { readonly token: string; readonly until: number }>();
  const underWay = new Map<string, Promise<TokenResult>>();

  const keep = (fingerprint: string, token: string, seconds: unknown): void => {
    const lastsMs = (typeof seconds === 'number' ? Math.min(seconds, lifetimeSeconds) : 0) * 1000;
    if (kept.size >= maxTokensKept) kept.clear();
    kept.set(fingerprint, { token, until: clock.now() + lastsMs - spareMs });
  };

  const request = async (account: ServiceAccount, timeoutMs: number): Promise<TokenResult> => {
    const unusable = judgeKey(account);
    if (unusable !== null) return { token: null, unusable };
    const assertion = assertionOf(account, clock.now());
    const call = {
      method: 'POST',
      url: tokenUrl,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion,
      }).toString(),
    } as const;
    const result = await outbound.send({ ...call, timeoutMs, maxResponseBytes: maxTokenBytes });
    const { access_token: token, expires_in: seconds } = parsedRecord(result.response ?? '') ?? {};
    // Only printable ASCII, because it becomes a header.
    if (result.status === 200 && typeof token === 'string' && /^[!-~]+$/.test(token)) {
      keep(account.fingerprint, token, seconds);
      return { token };
    }
    return { token: null, call: { ...call, secrets: [assertion, account.privateKey] }, result };
  };

  return {
    async get(account, timeoutMs) {
      const { fingerprint } = account;
      const known = kept.get(fingerprint);
      if (known !== undefined && known.until > clock.now()) return { token: known.token };
      const asked = underWay.get(fingerprint);
      if (asked !== undefined) return asked;
      const asking = request(account, timeoutMs).finally(() => underWay.delete(fingerprint));
      underWay.set(fingerprint, asking);
      return asking;
    },
    forget({ fingerprint }, token) {
      if (kept.get(fingerprint)?.token === token) kept.delete(fingerprint);
    },
  };
}
