/**
 * `Expect: 100-continue`: the client holds its body back until it is invited. The invitation is sent by the code that begins to
 * read that body, which is after authentication and all limits that need no body; everybody else answers without it.
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
