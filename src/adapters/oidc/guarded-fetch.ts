/** `fetch` through the guarded sender: only addresses that webhooks may reach, limited time and size, no redirects. */
import type { CustomFetch } from 'openid-client';
import { SignInFailed } from '../../model/identity-provider.js';
import type { Outbound } from '../../ports/outbound.js';

const maxResponseBytes = 512 * 1024;

const textOf = (body: unknown): string => {
  if (body === undefined || body === null) return '';
  if (typeof body === 'string' || body instanceof URLSearchParams) return String(body);
  throw new TypeError('Only texts are sent to an identity provider');
};

export const guardedFetch =
  (outbound: Outbound, timeoutMs: number): CustomFetch =>
  async (url, { method, headers, body }) => {
    const result = await outbound.send({
      method: method === 'GET' ? 'GET' : 'POST',
      url,
      headers: Object.fromEntries(new Headers(headers)),
      body: textOf(body),
      timeoutMs,
      maxResponseBytes,
      // An authorization code works once: sent again it would be rejected.
      isSentOnce: true,
    });
    const { status } = result;
    if (status === null || status >= 500)
      throw new SignInFailed(
        'provider_unavailable',
        result.detail ?? `${new URL(url).host} answered ${status}`,
      );
    if (status < 200 || (status > 299 && status < 400))
      throw new SignInFailed('provider_invalid', `${new URL(url).host} answered ${status}`);
    return new Response(status === 204 || status === 205 ? null : result.response, {
      status,
      headers: { ...result.responseHeaders },
    });
  };
