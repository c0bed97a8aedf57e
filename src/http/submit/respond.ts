/** The answers of the submission endpoint: JSON, a redirect, or a readable page. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { RateReading } from '../../domain/submissions/admission.js';
import type { AcceptedFile } from '../../domain/submissions/intake.js';
import type { CompiledForm } from '../../domain/submissions/intake-forms.js';
import { isoTime } from '../../kernel/clock.js';
import type { Refusal } from '../../model/errors.js';
import { internalProblem, problemBody, statusOf } from '../problem.js';
import { answerEarly } from './early-answer.js';
import { chooseLanguage, type Language } from './page-language.js';
import { noticeOf } from './page-notice.js';
import { pageWords } from './page-words.js';
import { createVisitorPages, type PageContent } from './pages.js';
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

export interface Answers {
  /** The page after a form that was taken. */
  sendThanks(
    request: IncomingMessage,
    response: ServerResponse,
    headers: OutgoingHttpHeaders,
    formName: string,
  ): void;
  /** For faults that are ours: nothing about them is told. */
  sendSurprise(request: IncomingMessage, response: ServerResponse, headers: OutgoingHttpHeaders): void;
  sendRefusal(
    request: IncomingMessage,
    response: ServerResponse,
    headers: OutgoingHttpHeaders,
    refusal: Refusal,
    target: CompiledForm | null,
  ): void;
}

/** The answers that may be a page, which links to this instance: JSON for programs, words for people. */
export function createAnswers(baseUrl: string): Answers {
  const pages = createVisitorPages(baseUrl);

  const sendPage = (
    request: IncomingMessage,
    response: ServerResponse,
    status: number,
    headers: OutgoingHttpHeaders,
    language: Language,
    content: Pick<PageContent, 'mark' | 'notice' | 'formName' | 'detail'>,
  ): void => {
    const { referer, host } = request.headers;
    const hasTyped = request.method === 'POST';
    const backTo = pages.pageBefore(referer, host);
    const page = pages.render({ ...content, language, hasTyped, backTo });
    send(request, response, status, pages.headersFor(language, headers), page);
  };

  return {
    sendThanks(request, response, headers, formName) {
      const language = chooseLanguage(request.headers['accept-language']);
      const notice = pageWords[language].thanks;
      sendPage(request, response, 200, headers, language, { mark: 'done', notice, formName, detail: null });
    },

    sendSurprise(request, response, headers) {
      if (wantsPage(request)) {
        const language = chooseLanguage(request.headers['accept-language']);
        const notice = pageWords[language].fault;
        const content = { mark: 'stop', notice, formName: null, detail: null } as const;
        sendPage(request, response, 500, headers, language, content);
        return;
      }
      sendJson(request, response, 500, headers, JSON.stringify(internalProblem));
    },

    sendRefusal(request, response, headers, refusal, target) {
      if (wantsPage(request)) {
        const status = statusOf(refusal);
        if (refusal.retryAfterSeconds !== undefined)
          headers['retry-after'] = String(refusal.retryAfterSeconds);
        const language = chooseLanguage(request.headers['accept-language']);
        const notice = noticeOf(refusal, language);
        const { mark, detail } = notice;
        const formName = target?.form.name ?? null;
        sendPage(request, response, status, headers, language, { mark, notice, formName, detail });
        return;
      }
      sendRefusalJson(request, response, headers, refusal);
    },
  };
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
  // That of a redirect counts for the request that follows it, and can only make it stricter: the page of the form
  // decides what the next page learns, as if we were not there. Our own needs it for its link back.
  headers['referrer-policy'] = 'no-referrer-when-downgrade';
  headers['cache-control'] = 'no-store';
  send(request, response, 303, headers, '');
}
