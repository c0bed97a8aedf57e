/** What Slack, Discord and Teams have in common: a message is JSON, posted to a URL that is itself the credential. */
import type { ChatConfig } from '../../contract/destination.js';
import { shortUrl } from '../../kernel/hosts.js';
import type { Message, Prepared, SendResult, SubmissionEvent } from '../../ports/destination-kind.js';
import type { HttpCalls, Judge } from './http-call.js';

interface ChatDestination {
  readonly config: ChatConfig;
}

export interface ChatHook {
  originOf(destination: ChatDestination): string;
  prepare(event: SubmissionEvent, destination: ChatDestination): readonly Prepared[];
  send(message: Message, destination: ChatDestination): Promise<SendResult>;
}

export function createChatHook(
  calls: HttpCalls,
  chat: { readonly name: string; readonly bodyOf: (event: SubmissionEvent) => object; readonly judge: Judge },
): ChatHook {
  return {
    originOf: ({ config }) => new URL(config.url).origin,
    prepare: (event, { config }) => [
      {
        address: shortUrl(config.url),
        body: event.once(chat.name, () => JSON.stringify(chat.bodyOf(event))),
      },
    ],
    send: ({ body }, { config: { url } }) =>
      calls.send({ method: 'POST', url, headers: jsonHeaders, body, secrets: secretsOf(url) }, chat.judge),
  };
}

export const jsonHeaders: Readonly<Record<string, string>> = { 'Content-Type': 'application/json' };

/** Shorter parts are ordinary words such as `webhooks`. */
const minSecretChars = 16;

/** Everything that the short URL leaves out, whole and in parts: an endpoint may echo either. Longest first. */
function secretsOf(url: string): readonly string[] {
  const { pathname, search, searchParams } = new URL(url);
  const segments = pathname.split('/').filter((part) => part !== '');
  const rest = (segments.length > 1 ? segments.slice(1) : segments).join('/');
  const parts = [...segments.slice(1), ...search.slice(1).split(/[&=]/), ...searchParams.values()];
  const all = [`${rest}${search}`, rest, ...parts.filter((part) => part.length >= minSecretChars)];
  return [...new Set(all.flatMap((secret) => [secret, decoded(secret)]))]
    .filter((secret) => secret !== '')
    .sort((a, b) => b.length - a.length);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns a member of a response that should be a JSON object, or undefined when there is none. */
export function partOf(response: unknown, name: string): unknown {
  return typeof response === 'object' && response !== null && Object.hasOwn(response, name)
    ? (response as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

export function readJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
