/** The responses of the submission endpoint: JSON, a redirect, or a readable page. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { RateReading } from '../../domain/submissions/admission.js';
import type { HostedForm } from '../../domain/submissions/hosted-page.js';
import type { AcceptedFile } from '../../domain/submissions/intake.js';
import type { CompiledForm } from '../../domain/submissions/intake-forms.js';
import { isoTime } from '../../kernel/clock.js';
import { chooseLanguage, type Language } from '../../kernel/language.js';
import { type Refusal, refuse } from '../../model/errors.js';
import type { Form } from '../../model/form.js';
import { problemBody, statusOf } from '../problem.js';
import { expose, exposeToHtmx } from './cors.js';
import type { Dialect } from './dialects/dialect.js';
import { answerEarly } from './early-answer.js';
import { fieldMessage } from './field-words.js';
import { createHostedPages, type HostedContent } from './hosted-page.js';
import { lookOf, type PageLook, plainLook } from './page-look.js';
import { hostedNotice, noticeOf } from './page-notice.js';
import { thanksNotice } from './page-thanks.js';
import { pageWords } from './page-words.js';
import { createVisitorPages, type PageContent } from './pages.js';
import { isHtmx, type Reader, readerOf } from './visit.js';

// Under load most requests come from few addresses. Formatting the end of the window each time took 1 % of the path.
let lastReset = { at: 0, text: '' };

export function addRate(headers: OutgoingHttpHeaders, rate: RateReading): void {
  if (rate.resetsAt !== lastReset.at) lastReset = { at: rate.resetsAt, text: isoTime(rate.resetsAt) };
  headers['x-ratelimit-limit'] = rate.limit;
  headers['x-ratelimit-remaining'] = rate.remaining;
  headers['x-ratelimit-reset'] = lastReset.text;
}

/** Where the owner wants the visitor to go: a script cannot follow a redirect to it, but it can open a page. */
export function addSuccessRedirect(headers: OutgoingHttpHeaders, location: string): void {
  headers['x-success-redirect'] = location;
  expose(headers, 'X-Success-Redirect');
}

function send(
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

/** How to respond to a request, beyond what its headers say. */
export interface Voice {
  readonly dialect: Dialect | null;
  /** JSON, whatever the request accepts. */
  readonly isJson: boolean;
  /** The language that the page requests. */
  readonly language: string | null;
  /** The page of the form; null: use the Referer. */
  readonly page: string | null;
}

const plainVoice: Voice = { dialect: null, isJson: false, language: null, page: null };

export const readerFor = (request: IncomingMessage, { isJson }: Pick<Voice, 'isJson'>): Reader =>
  isJson ? 'program' : readerOf(request);

/** The language that a page requests comes first. Unsupported ones are ignored. */
const languageFor = ({ headers }: IncomingMessage, asked: string | null): Language =>
  chooseLanguage(
    asked === null ? headers['accept-language'] : `${asked}, ${headers['accept-language'] ?? ''}`,
  );

export interface Answers {
  /** The page after an accepted submission. */
  sendThanks(
    request: IncomingMessage,
    response: ServerResponse,
    headers: OutgoingHttpHeaders,
    form: Form,
    voice: Pick<Voice, 'language' | 'page'>,
  ): void;
  /** The page with the form; with violations it is the response to a submission from it. */
  sendHostedPage(
    request: IncomingMessage,
    response: ServerResponse,
    headers: OutgoingHttpHeaders,
    target: CompiledForm,
    content: Omit<HostedContent, 'shownIn'>,
  ): void;
  /** Sent instead when the form has no fields or is closed. */
  sendNoHostedPage(
    request: IncomingMessage,
    response: ServerResponse,
    headers: OutgoingHttpHeaders,
    hosted: HostedForm,
    language: string | null,
  ): void;
  /** For a script that puts HTML into its page. `redirect`: where the owner wants the visitor to go, which only htmx does. */
  sendAcceptedHtml(
    request: IncomingMessage,
    response: ServerResponse,
    headers: OutgoingHttpHeaders,
    form: Form,
    redirect: string | null,
    voice: Voice,
  ): void;
  /** For internal errors. Nothing about them is shown. */
  sendInternalError(
    request: IncomingMessage,
    response: ServerResponse,
    headers: OutgoingHttpHeaders,
    voice?: Voice,
  ): void;
  sendRefusal(
    request: IncomingMessage,
    response: ServerResponse,
    headers: OutgoingHttpHeaders,
    refusal: Refusal,
    target: CompiledForm | null,
    voice?: Voice,
  ): void;
}

/** The responses that may be a page with links to this instance: JSON for programs, text for people. */
export function createAnswers(baseUrl: string): Answers {
  const pages = createVisitorPages(baseUrl);
  const hosted = createHostedPages(baseUrl);

  type Words = Pick<PageContent, 'mark' | 'notice' | 'formName' | 'detail' | 'violations' | 'look'>;
  const sendHtml = (
    request: IncomingMessage,
    response: ServerResponse,
    status: number,
    headers: OutgoingHttpHeaders,
    language: Language,
    look: PageLook,
    html: string,
  ): void => send(request, response, status, pages.headersFor(language, headers, look), html);

  const sendPage = (
    request: IncomingMessage,
    response: ServerResponse,
    status: number,
    headers: OutgoingHttpHeaders,
    language: Language,
    formPage: string | null,
    words: Words,
  ): void => {
    const { referer, host } = request.headers;
    const hasTyped = request.method === 'POST';
    const backTo = pages.pageBefore(formPage ?? referer, host);
    const page = pages.render({ ...words, language, hasTyped, backTo });
    sendHtml(request, response, status, headers, language, words.look, page);
  };

  /** Sends a page or, to a script, a part of one. Returns false when the reader wants no HTML. */
  const sendInWords = (
    request: IncomingMessage,
    response: ServerResponse,
    status: number,
    headers: OutgoingHttpHeaders,
    voice: Voice,
    wordsIn: (language: Language) => Words,
  ): boolean => {
    const reader = readerFor(request, voice);
    if (reader !== 'person' && reader !== 'htmlScript') return false;
    const language = languageFor(request, voice.language);
    const words = wordsIn(language);
    if (reader === 'person') sendPage(request, response, status, headers, language, voice.page, words);
    else {
      if (isHtmx(request)) exposeToHtmx(headers);
      const fragment = pages.renderFragment({ ...words, language });
      sendHtml(request, response, status, headers, language, plainLook, fragment);
    }
    return true;
  };

  const thanks = (language: Language, form: Form): Words => {
    return {
      mark: form.doubleOptIn === null ? 'done' : 'wait',
      notice: thanksNotice(form, language),
      formName: form.name,
      detail: null,
      violations: [],
      look: lookOf(form),
    };
  };

  return {
    sendThanks(request, response, headers, form, voice) {
      const language = languageFor(request, voice.language);
      sendPage(request, response, 200, headers, language, voice.page, thanks(language, form));
    },

    sendHostedPage(request, response, headers, target, content) {
      const shownIn = languageFor(request, content.language);
      const page = hosted.render(target.form, { ...content, shownIn });
      const all = hosted.headersFor(target, shownIn, headers, request.headers.referer);
      send(request, response, content.violations.length === 0 ? 200 : 422, all, page);
    },

    sendNoHostedPage(request, response, headers, { target: { form }, closure, opensAt }, asked) {
      const language = languageFor(request, asked);
      const notice = hostedNotice({ closure, opensAt }, language);
      const { mark, detail } = notice;
      const status = closure === null ? 404 : statusOf(closure);
      const page = { notice, mark, detail, formName: form.name, violations: [], look: lookOf(form) };
      sendPage(request, response, status, headers, language, null, page);
    },

    sendAcceptedHtml(request, response, headers, form, redirect, voice) {
      if (redirect !== null && isHtmx(request)) headers['hx-redirect'] = redirect;
      sendInWords(request, response, 200, headers, voice, (language) => thanks(language, form));
    },

    sendInternalError(request, response, headers, voice = plainVoice) {
      const isSent = sendInWords(request, response, 500, headers, voice, (language) => ({
        mark: 'stop',
        notice: pageWords[language].fault,
        formName: null,
        detail: null,
        violations: [],
        look: plainLook,
      }));
      if (!isSent) sendRefusalJson(request, response, headers, refuse.internal(), voice.dialect);
    },

    sendRefusal(request, response, headers, refusal, target, voice = plainVoice) {
      addRetryAfter(headers, refusal);
      const isSent = sendInWords(request, response, statusOf(refusal), headers, voice, (language) => {
        const notice = noticeOf(refusal, language);
        return {
          mark: notice.mark,
          notice,
          formName: target?.form.name ?? null,
          detail: notice.detail,
          violations: refusal.violations.map((violation) => ({
            label: violation.label,
            message: fieldMessage(violation, language),
          })),
          look: target === null ? plainLook : lookOf(target.form),
        };
      });
      const language = languageFor(request, voice.language);
      if (!isSent) sendRefusalJson(request, response, headers, refusal, voice.dialect, language);
    },
  };
}

function addRetryAfter(headers: OutgoingHttpHeaders, { retryAfterSeconds }: Refusal): void {
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds);
}

export function sendRefusalJson(
  request: IncomingMessage,
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
  refusal: Refusal,
  dialect: Dialect | null = null,
  language: Language = 'en',
): void {
  addRetryAfter(headers, refusal);
  const status = statusOf(refusal);
  const fields = refusal.violations.map((violation) => ({
    field: violation.field,
    code: violation.code,
    message: fieldMessage(violation, language),
  }));
  const problem = { ...problemBody(refusal), ...(fields.length > 0 && { fields }) };
  const body = dialect === null ? problem : dialect.refused(refusal, status, problem);
  sendJson(request, response, status, headers, JSON.stringify(body));
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

/** A header must be ASCII; the URL of a page need not be. */
export const headerTarget = (target: string): string =>
  /^[\x21-\x7e]*$/.test(target) ? target : new URL(target).href;

/** Adds the parameters to the target's own query, before its fragment. What the owner wrote stays as it is. */
export function redirectTarget(
  target: string,
  submissionId: string,
  files: number,
  webhook: 'delivered' | 'pending' | null,
): string {
  const to = headerTarget(target);
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
  // The policy of a redirect applies to the request that follows it, and can only make it stricter. So the page of the form decides what
  // the next page learns, as if we were not there. Our own page needs the Referer for its link back.
  headers['referrer-policy'] = 'no-referrer-when-downgrade';
  headers['cache-control'] = 'no-store';
  send(request, response, 303, headers, '');
}
