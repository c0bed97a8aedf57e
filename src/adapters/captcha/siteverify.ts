/**
 * Turnstile, hCaptcha and reCAPTCHA: the provider verifies the token, over the protocol that all three share.
 *
 * Invariants: a check ends within its deadline, reads a bounded response and follows no redirect. A visitor passes only
 * if the provider clearly says so, and fails only if it clearly rejects the token. Neither the secret nor the token
 * reaches the log.
 */
import type { Agent } from 'undici';
import type { CaptchaProvider } from '../../model/form.js';
import type { CaptchaCheck, CaptchaVerdict, CaptchaVerifier } from '../../ports/captcha.js';

export type AskedProvider = Exclude<CaptchaProvider, 'altcha'>;

export interface SiteverifyOptions {
  readonly urls: Readonly<Record<AskedProvider, string>>;
  /** Reports why a provider gave no verdict. Each reason is reported only once in a while. */
  readonly onFault: (provider: AskedProvider, reason: string) => void;
  readonly timeoutMs?: number;
}

export interface Siteverify extends CaptchaVerifier {
  /** Aborts checks that are under way. */
  close(): Promise<void>;
}

/** Tokens of all three have 500 to 4,000 characters. */
const maxTokenLength = 8_192;
const maxAnswerBytes = 64 * 1024;
const connectionsPerProvider = 32;
const leastScore = 0.5;
const quietMs = 10_000;

/** Errors about our secret, our request or the provider itself. A visitor can do nothing about them. */
const ourFaults: ReadonlySet<string> = new Set([
  'missing-input-secret',
  'invalid-input-secret',
  'invalid-keys',
  'sitekey-secret-mismatch',
  'missing-sitekey',
  'invalid-sitekey',
  'not-using-dummy-passcode',
  'not-using-dummy-secret',
  'missing-remoteip',
  'invalid-remoteip',
  'bad-request',
  'internal-error',
]);

/** The provider gave no verdict. The message is for the operator. */
class ProviderFault extends Error {}

export function createSiteverify(options: SiteverifyOptions): Siteverify {
  const { urls, timeoutMs = 5_000 } = options;
  let agent: Agent | null = null;
  const tell = onceInAWhile(options.onFault);

  const ask = async (provider: AskedProvider, form: string): Promise<CaptchaVerdict> => {
    // Loaded with the first check: most instances never make one.
    const { Agent, request } = await import('undici');
    agent ??= new Agent({
      connections: connectionsPerProvider,
      pipelining: 1,
      // The deadline of each check aborts everything except a connection attempt, which needs its own timeout.
      connect: { timeout: timeoutMs + 1_000 },
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const { statusCode, body } = await request(urls[provider], {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: form,
      dispatcher: agent,
      // One deadline for everything: waiting for a connection, the DNS lookup, the exchange, the last byte.
      signal: AbortSignal.timeout(timeoutMs),
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    // Leaving the loop early destroys the stream, and with it the connection.
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxAnswerBytes) throw new ProviderFault(`more than ${maxAnswerBytes} bytes as an answer`);
      chunks.push(chunk);
    }
    return judge(provider, statusCode, Buffer.concat(chunks).toString('utf8'));
  };

  return {
    async verify(check) {
      const { provider, secretKey, token } = check;
      if (provider === 'altcha') return 'unavailable';
      if (token.length > maxTokenLength) return 'failed';
      if (secretKey === null || secretKey === '') {
        tell(provider, 'the form has no captcha_secret_key');
        return 'unavailable';
      }
      try {
        return await ask(provider, question(check, secretKey));
      } catch (error) {
        tell(provider, reasonOf(error));
        return 'unavailable';
      }
    },
    close: async () => await agent?.destroy(),
  };
}

function question({ provider, token, remoteIp, siteKey }: CaptchaCheck, secretKey: string): string {
  const form = new URLSearchParams({ secret: secretKey, response: token });
  if (remoteIp !== null) form.set('remoteip', remoteIp);
  // A token for another site of the same account must not pass for this form.
  if (provider === 'hcaptcha' && siteKey !== null) form.set('sitekey', siteKey);
  return form.toString();
}

function judge(provider: AskedProvider, status: number, text: string): CaptchaVerdict {
  const isRefusal = status >= 400 && status < 500;
  if (status !== 200 && !isRefusal) throw new ProviderFault(`status ${status}`);
  const answer = objectIn(text);
  if (answer === null) throw new ProviderFault(`no JSON object as an answer, status ${status}`);
  if (answer.success === true && status === 200) {
    // Only for reCAPTCHA v3: hCaptcha's score grows with the risk.
    if (provider !== 'recaptcha' || answer.score === undefined) return 'passed';
    return typeof answer.score === 'number' && answer.score >= leastScore ? 'passed' : 'failed';
  }
  if (answer.success !== false) throw new ProviderFault(`no verdict in the answer, status ${status}`);
  const codes = codesIn(answer);
  // Some providers also set a 4xx status. Without error codes, that status says nothing about the token.
  if (codes.some((code) => ourFaults.has(code)) || (isRefusal && codes.length === 0)) {
    throw new ProviderFault(`error codes: ${codes.join(', ') || 'none'}, status ${status}`);
  }
  return 'failed';
}

function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Only what looks like a code: they go to the log. */
function codesIn(answer: Readonly<Record<string, unknown>>): readonly string[] {
  const codes = answer['error-codes'];
  if (!Array.isArray(codes)) return [];
  const isCode = (code: unknown): code is string => typeof code === 'string' && /^[\w-]{1,64}$/.test(code);
  return codes.filter(isCode).slice(0, 8);
}

function reasonOf(error: unknown): string {
  if (error instanceof ProviderFault) return error.message;
  if (error instanceof Error && error.name === 'TimeoutError') return 'no answer in time';
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  return `no answer: ${code}`;
}

/** Limits repeated reports: a provider that is down fails for every visitor alike. */
function onceInAWhile(onFault: SiteverifyOptions['onFault']): SiteverifyOptions['onFault'] {
  const quietUntil = new Map<string, number>();
  return (provider, reason) => {
    const kind = `${provider} ${reason}`;
    const now = performance.now();
    if (now < (quietUntil.get(kind) ?? 0)) return;
    if (quietUntil.size >= 100) quietUntil.clear();
    quietUntil.set(kind, now + quietMs);
    onFault(provider, reason);
  };
}
