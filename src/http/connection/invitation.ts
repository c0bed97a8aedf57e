/**
 * `Expect: 100-continue`: the client sends its body only once it is invited. The code that starts to read the body sends the
 * invitation, which is after authentication and all limits that need no body. Any other response is sent without it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

const waiting = new WeakMap<IncomingMessage, ServerResponse>();

export function awaitInvitation(request: IncomingMessage, response: ServerResponse): void {
  waiting.set(request, response);
}

export function inviteBody(request: IncomingMessage): void {
  const response = waiting.get(request);
  if (response && waiting.delete(request)) response.writeContinue();
}
