/**
 * Everything below /f/{public_id}: submissions, preflights, the hosted page, the success page, challenges and access checks. Runs
 * directly on node:http: thousands of visitors a second may take this path, it streams, and it responds before the body has been read
 * (docs/adr/0004).
 */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FormAccess } from '../../contract/submission.js';
import { type AdmissionDesk, readableOrigin } from '../../domain/submissions/admission.js';
import type { ChallengeDesk } from '../../domain/submissions/challenge.js';
import { namedPage } from '../../domain/submissions/controls.js';
import type { HostedPageDesk } from '../../domain/submissions/hosted-page.js';
import type { CompiledForm } from '../../domain/submissions/intake-forms.js';
import type { Tallies } from '../../domain/tallies/tallies.js';
import { Refusal, refuse } from '../../model/errors.js';
import { refusalOf } from '../problem.js';
import { addCors, addPreflight, addPreflightForUnknown } from './cors.js';
import type { Way } from './dialects/recognise.js';
import { createPipeline, type PipelineDeps, type SubmissionObserver } from './pipeline.js';
import { prefillOf } from './prefill.js';
import { recordRejections } from './rejection-record.js';
import { sendJson, sendRefusalJson } from './respond.js';
import { visitOf } from './visit.js';

const formMethods = 'POST, OPTIONS';
const readMethods = 'GET, OPTIONS';
const pageMethods = 'GET, HEAD, OPTIONS';

export interface SubmitDeps extends Omit<PipelineDeps, 'record' | 'observer'> {
  readonly desk: AdmissionDesk;
  readonly challenges: ChallengeDesk;
  readonly hosted: HostedPageDesk;
  readonly tallies: Pick<Tallies, 'rejected'>;
  readonly observer: SubmitObserver;
}

export interface SubmitObserver extends SubmissionObserver {
  /** Every other response below /f/. `route` is a pattern, not a path. */
  served(request: IncomingMessage, route: string, status: number, durationMs: number): void;
}

/** `passOn`: called when the path is not one of a form after all. Nothing has been read or written then. */
export type SubmitHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  way: Way,
  passOn: () => void,
) => Promise<void>;

type Handle = (
  request: IncomingMessage,
  response: ServerResponse,
  publicId: string,
  passOn: (() => void) | null,
) => Promise<void>;

interface Place {
  readonly pattern: string;
  readonly allow: string;
  readonly by: Readonly<Partial<Record<string, Handle>>>;
}

/** Whether a request submits a form, or is its preflight, which has no body yet. */
const isForm = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' ||
  /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(headers['content-type'] ?? '');

export function createSubmitHandler(deps: SubmitDeps): SubmitHandler {
  const { observer } = deps;
  const { sendRefusal, sendInternalError, sendThanks, sendHostedPage, sendNoHostedPage } = deps.answers;
  const record = recordRejections(deps.tallies);
  const submit = createPipeline({ ...deps, record });

  const refuseMethod = (
    request: IncomingMessage,
    response: ServerResponse,
    place: Place | undefined,
  ): void => {
    const headers: OutgoingHttpHeaders = place ? { allow: place.allow } : {};
    addCors(headers, readableOrigin(null, undefined));
    const refusal = place ? refuse.methodNotAllowed() : refuse.pathNotFound();
    sendRefusal(request, response, headers, refusal, null);
  };

  const preflight = async (
    request: IncomingMessage,
    response: ServerResponse,
    publicId: string,
    passOn: (() => void) | null,
    methods: string,
  ): Promise<void> => {
    const visit = visitOf(request, deps.trusted);
    const headers: OutgoingHttpHeaders = {};
    const asked = request.headers['access-control-request-headers'];
    const allowUnjudged = (): void => {
      addPreflightForUnknown(headers, asked, methods);
      response.writeHead(204, headers).end();
    };
    let found: CompiledForm | Refusal;
    try {
      found = await deps.desk.find(publicId, visit.ip);
    } catch (error) {
      observer.failed(request, error);
      return allowUnjudged();
    }
    if (found instanceof Refusal && found.code === 'form_not_found') {
      if (passOn) return passOn();
      if (request.headers['access-control-request-method'] !== undefined) return allowUnjudged();
    }
    const target = found instanceof Refusal ? null : found;
    const readable = readableOrigin(target, visit.origin);
    addCors(headers, readable);
    if (found instanceof Refusal) return sendRefusal(request, response, headers, found, null);
    // The browser stops here and sends nothing. The record shows the owner why nothing arrives.
    if (readable === null) record('origin', null, request, { target, visit, rate: null });
    addPreflight(headers, asked, methods);
    response.writeHead(204, headers).end();
  };

  const challenge = async (
    request: IncomingMessage,
    response: ServerResponse,
    publicId: string,
  ): Promise<void> => {
    const visit = visitOf(request, deps.trusted);
    const { target, result } = await deps.challenges.issue(publicId, visit);
    const headers: OutgoingHttpHeaders = { 'cache-control': 'no-store' };
    addCors(headers, readableOrigin(target, visit.origin));
    if (result instanceof Refusal) {
      // Without a challenge the visitor cannot submit: this shows the owner, for example, that the list of origins is wrong.
      record(result.reason, result, request, { target, visit, rate: null });
      // Requested by scripts: a rejection is JSON too, whatever the browser says it accepts.
      return sendRefusalJson(request, response, headers, result);
    }
    sendJson(request, response, 200, headers, result);
  };

  const successPage = async (
    request: IncomingMessage,
    response: ServerResponse,
    publicId: string,
  ): Promise<void> => {
    const { ip, origin, referer } = visitOf(request, deps.trusted);
    const found = await deps.desk.find(publicId, ip);
    const headers: OutgoingHttpHeaders = {};
    addCors(headers, readableOrigin(found instanceof Refusal ? null : found, origin));
    if (found instanceof Refusal) return sendRefusal(request, response, headers, found, null);
    const [, query = ''] = /\?(.*)/.exec(request.url ?? '') ?? [];
    const asked = new URLSearchParams(query);
    const page = namedPage(asked.get('page'), { origin: undefined, referer });
    sendThanks(request, response, headers, found.form, { language: asked.get('language'), page });
  };

  /** A request for a form without a page reveals no more than one for any other path here. */
  const hostedPage = async (
    request: IncomingMessage,
    response: ServerResponse,
    publicId: string,
  ): Promise<void> => {
    const found = await deps.hosted.find(publicId, visitOf(request, deps.trusted).ip);
    if (found === null) return refuseMethod(request, response, form);
    if (found instanceof Refusal) {
      const headers: OutgoingHttpHeaders = {};
      addCors(headers, readableOrigin(null, undefined));
      return sendRefusal(request, response, headers, found, null);
    }
    const { target, closure } = found;
    const { language, values } = prefillOf(request.url, target.form.fields);
    if (closure !== null || target.rules === null)
      return sendNoHostedPage(request, response, {}, found, language);
    sendHostedPage(request, response, {}, target, { language, values, violations: [] });
  };

  /** Any page may read this: it is for those that may read nothing else of the form. */
  const access = async (
    request: IncomingMessage,
    response: ServerResponse,
    publicId: string,
  ): Promise<void> => {
    const headers: OutgoingHttpHeaders = { 'cache-control': 'no-store' };
    addCors(headers, '*');
    const found = await deps.desk.accessOf(publicId, visitOf(request, deps.trusted));
    if (found instanceof Refusal) return sendRefusalJson(request, response, headers, found);
    const body: FormAccess = { origin_allowed: found.originAllowed, is_open: found.isOpen };
    sendJson(request, response, 200, headers, JSON.stringify(body));
  };

  const preflightForAll = async (
    request: IncomingMessage,
    response: ServerResponse,
    methods: string,
  ): Promise<void> => {
    const headers: OutgoingHttpHeaders = {};
    addCors(headers, '*');
    addPreflight(headers, request.headers['access-control-request-headers'], methods);
    response.writeHead(204, headers).end();
  };

  const preflightOf =
    (methods: string): Handle =>
    (request, response, publicId, passOn) =>
      preflight(request, response, publicId, passOn, methods);
  /** Everything but submissions, by the path after the id. */
  const form: Place = {
    pattern: '/f/:id',
    allow: formMethods,
    by: { GET: hostedPage, HEAD: hostedPage, OPTIONS: preflightOf(formMethods) },
  };
  const places: Readonly<Record<string, Place>> = {
    '': form,
    '/': form,
    '/success': {
      pattern: '/f/:id/success',
      allow: pageMethods,
      by: { GET: successPage, HEAD: successPage, OPTIONS: preflightOf(pageMethods) },
    },
    '/challenge': {
      pattern: '/f/:id/challenge',
      allow: readMethods,
      by: { GET: challenge, OPTIONS: preflightOf(readMethods) },
    },
    '/access': {
      pattern: '/f/:id/access',
      allow: readMethods,
      by: { GET: access, OPTIONS: (request, response) => preflightForAll(request, response, readMethods) },
    },
  };
  const serve = async (
    request: IncomingMessage,
    response: ServerResponse,
    way: Way,
    place: Place | undefined,
    passOn: () => void,
  ): Promise<void> => {
    const handle = place?.by[request.method ?? ''];
    // Only the body will name the form: the response to the submission is decided separately.
    if (handle && way.id === null) return preflightForAll(request, response, formMethods);
    if (handle) return handle(request, response, way.id ?? '', way.isShared ? passOn : null);
    refuseMethod(request, response, place);
  };

  const serveOther: SubmitHandler = async (request, response, way, passOn) => {
    const beganAt = performance.now();
    const place = Object.hasOwn(places, way.rest) ? places[way.rest] : undefined;
    let isOurs = true;
    const leave = (): void => {
      isOurs = false;
      passOn();
    };
    try {
      await serve(request, response, way, place, leave);
    } catch (error) {
      if (!(error instanceof Refusal)) observer.failed(request, error);
      if (response.headersSent) {
        response.destroy();
        return;
      }
      const headers: OutgoingHttpHeaders = {};
      addCors(headers, readableOrigin(null, undefined));
      const refusal = refusalOf(error);
      if (refusal) sendRefusal(request, response, headers, refusal, null);
      else sendInternalError(request, response, headers);
    }
    if (isOurs)
      observer.served(request, place?.pattern ?? '/f/*', response.statusCode, performance.now() - beganAt);
  };

  return (request, response, way, passOn) => {
    // Netlify pages post forms to `/`. Any other request there is not for us.
    if (way.id === null && way.isShared && !isForm(request)) return Promise.resolve(passOn());
    const isSubmission = request.method === 'POST' && (way.rest === '' || way.rest === '/');
    return isSubmission ? submit(request, response, way, passOn) : serveOther(request, response, way, passOn);
  };
}
