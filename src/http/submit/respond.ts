/** The answers of the submission endpoint: JSON, a redirect, or a readable page. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { RateReading } from '../../domain/submissions/admission.js';
import type { AcceptedFile } from '../../domain/submissions/intake.js';
import type { CompiledForm } from '../../domain/submissions/intake-forms.js';
import { isoTime } from '../../kernel/clock.js';
import type { Refusal } from '../../model/errors.js';
import { internalProblem, problemBody, statusOf } from '../problem.js';
import { answerEarly } from './early-answer.js';
import { pageHeaders, renderPage } from './pages.js';
import { wantsPage } from './visit.js';

// Under load most requests come from few addresses; formatting the end of the window each time was 1 % of the path.
let lastReset = { at: 0, text: '' };

export function addRate(headers: OutgoingHttpHeaders, rate: RateReading): void {
  if (rate.resetsAt !== lastReset.at) lastReset = { at: rate.resetsAt, text: isoTime(rate.resetsAt) };
  headers['x-ratelimit-limit'] = rate.limit;
  headers['x-ratelimit-remaining'] = rate.remaining;
  headers['x-ratelimit-reset'] = lastReset.text;
}

export function send(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  body: string,
): void {
  headers['content-length'] = Buffer.byteLength(body);
  const text = request.method === 'HEAD' ? '' : body;
  if (request.complete) response.writeHead(status, headers).end(text);
  else answerEarly(request, response, status, headers, text);
}

const json = 'application/json; charset=utf-8';

/** A page's words for the person in front of it; the status and the JSON text stay the contract's. */
const advice: Readonly<Record<string, string>> = {
  rate_limited: 'You have sent several messages in a short time. Please wait a minute and send again.',
  too_large: 'What you sent is too large. Choose a smaller file or shorten the text, and send again.',
  payment_required: 'This form does not take files. Send your message without them.',
  method_not_allowed:
    'This address receives a form. Use it as the action of a form on your website; there is nothing to see here.',
  forbidden: 'This form does not take messages from here at the moment.',
  not_found: 'There is no form at this address.',
  unavailable: 'The service is busy. Nothing was lost in your form: go back and send it again in a moment.',
};

/** For faults that are ours: nothing about them is told. */
export function sendSurprise(
  request: IncomingMessage,
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
): void {
  if (wantsPage(request)) {
    const page = renderPage({
      title: 'Something went wrong',
      text: 'Your message may not have been received. Go back and send it again in a moment.',
      formName: null,
      backTo: request.headers.referer ?? null,
    });
    send(request, response, 500, { ...headers, ...pageHeaders }, page);
    return;
  }
  headers['content-type'] = json;
  send(request, response, 500, headers, JSON.stringify(internalProblem));
}

export function sendRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
  refusal: Refusal,
  target: CompiledForm | null,
): void {
  const status = statusOf(refusal);
  if (refusal.retryAfterSeconds !== undefined) headers['retry-after'] = String(refusal.retryAfterSeconds);
  if (wantsPage(request)) {
    const text =
      advice[refusal.kind] ?? String(refusal.extra.detail ?? 'Go back, check the form and send it again.');
    const page = renderPage({
      title: refusal.kind === 'too_large' ? 'Too large' : refusal.message,
      text,
      formName: target?.form.name ?? null,
      backTo: request.headers.referer ?? null,
    });
    send(request, response, status, { ...headers, ...pageHeaders }, page);
    return;
  }
  sendRefusalJson(request, response, headers, refusal);
}

export function sendRefusalJson(
  request: IncomingMessage,
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
  refusal: Refusal,
): void {
  if (refusal.retryAfterSeconds !== undefined) headers['retry-after'] = String(refusal.retryAfterSeconds);
  sendJson(request, response, statusOf(refusal), headers, JSON.stringify(problemBody(refusal)));
}

export function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  text: string,
): void {
  headers['content-type'] = json;
  send(request, response, status, headers, text);
}

export function sendAcceptedJson(
  request: IncomingMessage,
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
  submissionId: string,
  files: readonly AcceptedFile[],
): void {
  headers['content-type'] = json;
  const filesText = files.length === 0 ? '[]' : JSON.stringify(files);
  const body = `{"success":true,"submission_id":"${submissionId}","files":${filesText}}`;
  send(request, response, 200, headers, body);
}

/** The parameters join the target's own query, before its fragment; what the owner wrote stays as it is. */
export function redirectTarget(
  target: string,
  submissionId: string,
  files: number,
  webhook: 'delivered' | 'pending' | null,
): string {
  // A header takes ASCII only; the address of a page need not be.
  const to = /^[\x21-\x7e]*$/.test(target) ? target : new URL(target).href;
  const hash = to.indexOf('#');
  const [address, fragment] = hash === -1 ? [to, ''] : [to.slice(0, hash), to.slice(hash)];
  const query = address.indexOf('?');
  const joint = query === -1 ? '?' : query === address.length - 1 || address.endsWith('&') ? '' : '&';
  const count = files > 0 ? `&files=${files}` : '';
  const state = webhook === null ? '' : `&webhook=${webhook}`;
  return `${address}${joint}submission_id=${submissionId}&status=success${count}${state}${fragment}`;
}

export function sendRedirect(
  request: IncomingMessage,
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
  location: string,
): void {
  headers.location = location;
  headers['cache-control'] = 'no-store';
  send(request, response, 303, headers, '');
}
