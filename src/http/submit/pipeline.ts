/**
 * POST /f/{public_id}: admit the visitor, check the head, read the body, accept the submission, respond. Each step may end it with a
 * Refusal or throw. One place handles both, so that every response has its CORS headers and is counted.
 */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { StagedFile } from '../../domain/files/staging.js';
import type { Confirmation } from '../../domain/sending/confirmation.js';
import {
  type Admission,
  type AdmissionDesk,
  isFromHostedPage,
  type RateReading,
  readableOrigin,
  type Visit,
} from '../../domain/submissions/admission.js';
import { allowedTarget, namedPage } from '../../domain/submissions/controls.js';
import type { Accepted, FileSink, Intake } from '../../domain/submissions/intake.js';
import type { CompiledForm } from '../../domain/submissions/intake-forms.js';
import { NetworkShares } from '../../kernel/network-shares.js';
import type { TrustedProxies } from '../../kernel/trust-proxy.js';
import { Refusal, refuse } from '../../model/errors.js';
import { type Control, controlOf, type SubmittedFields } from '../../model/fields.js';
import { isAnsweredAsBroken } from '../connection/broken-request.js';
import { inviteBody } from '../connection/invitation.js';
import { refusalOf } from '../problem.js';
import type { BodyLimits } from './body/limits.js';
import { type ReadBody, readBody } from './body/read-body.js';
import { BodyBudget, textMemory } from './body-budget.js';
import { addCors } from './cors.js';
import { type Dialect, ours } from './dialects/dialect.js';
import {
  dialectOfFields,
  dialectOfHeaders,
  formNamedIn,
  translated,
  type Way,
} from './dialects/recognise.js';
import { checkHead } from './head.js';
import { typedValues } from './prefill.js';
import type { RecordRejection } from './rejection-record.js';
import {
  type Answers,
  addRate,
  addSuccessRedirect,
  headerTarget,
  readerFor,
  redirectTarget,
  sendAcceptedJson,
  sendJson,
  sendRedirect,
  type Voice,
} from './respond.js';
import type { UploadPool } from './upload-pool.js';
import { visitOf } from './visit.js';

/** Observes the outcomes of submissions. */
export interface SubmissionObserver {
  /** `outcome`: `accepted`, `honeypot`, `internal_error`, or the code of the refusal. */
  answered(request: IncomingMessage, publicId: string, outcome: string, durationMs: number): void;
  /** An internal error, or a store that is unavailable or full. The visitor does not learn the cause. */
  failed(request: IncomingMessage, error: unknown): void;
}

export interface PipelineDeps {
  readonly desk: Pick<AdmissionDesk, 'admit' | 'limitOf' | 'countUnnamed'>;
  readonly intake: Intake;
  readonly confirmation: Confirmation;
  readonly uploads: UploadPool;
  readonly limits: BodyLimits;
  readonly trusted: TrustedProxies;
  readonly baseUrl: string;
  readonly answers: Answers;
  readonly record: RecordRejection;
  readonly observer: SubmissionObserver;
}

/** For the path in the URL of the thank-you page. Some proxies allow 4 kB for the whole head of a response. */
const maxPathLength = 1_024;

/** The state of one request. `target` and `rate` are known once the visitor was admitted or rejected, `fields` once the body was read. */
interface Passage {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly way: Way;
  readonly visit: Visit;
  readonly budget: BodyBudget;
  readonly beganAt: number;
  dialect: Dialect | null;
  target: CompiledForm | null;
  rate: RateReading | null;
  fields: SubmittedFields | null;
}

/** What a visitor typed on a hosted page. */
interface Typed {
  readonly target: CompiledForm;
  readonly data: string;
}

type Read = ReadBody<StagedFile | null>;

export function createPipeline(
  deps: PipelineDeps,
): (request: IncomingMessage, response: ServerResponse, way: Way, passOn: () => void) => Promise<void> {
  const { answers, observer } = deps;
  const memory = new NetworkShares(textMemory);

  const nameOf = ({ way }: Passage): string => way.id ?? '(named in the body)';

  const count = (passage: Passage, outcome: string): void => {
    const { request, beganAt } = passage;
    // Counted with that response already.
    if (isAnsweredAsBroken(request)) return;
    observer.answered(request, nameOf(passage), outcome, performance.now() - beganAt);
  };

  const control = ({ fields }: Passage, wanted: Control): string | null =>
    fields === null ? null : controlOf(fields.reserved, wanted);

  const pageOf = (passage: Passage): string | null => namedPage(control(passage, 'page'), passage.visit);

  const voiceOf = (passage: Passage): Voice => ({
    dialect: passage.dialect,
    isJson: passage.way.isJson,
    language: control(passage, 'language'),
    page: pageOf(passage),
  });

  const enter = (passage: Passage, { target, rate, refusal }: Admission): CompiledForm | Refusal => {
    passage.target = target;
    passage.rate = rate;
    return refusal === null ? target : refusal;
  };

  /** The fields as stored, or a refusal of what the other service would not accept. */
  const translate = (passage: Passage, { fields, files }: Read): SubmittedFields | Refusal => {
    const dialect = passage.dialect ?? ours;
    passage.fields = translated(fields, dialect);
    return dialect.check(passage.fields, files.length) ?? passage.fields;
  };

  /** Admits the visitor to the form that the body names. Returns null on success. */
  const admitNamed = async (passage: Passage, { fields }: Read): Promise<Refusal | null> => {
    const { way, visit } = passage;
    const named = formNamedIn(way, fields);
    if (named !== null) {
      passage.dialect = named.dialect;
      const admitted = enter(passage, await deps.desk.admit(named.id, visit));
      // An unknown form was counted already.
      if (admitted instanceof Refusal && admitted.code !== 'form_not_found')
        await deps.desk.countUnnamed(visit.ip);
      return admitted instanceof Refusal ? admitted : null;
    }
    await deps.desk.countUnnamed(visit.ip);
    return way.isShared ? refuse.pathNotFound() : refuse.formNotNamed();
  };

  /** Prepares a request of another service. If that fails, its files are deleted too: nothing refers to them yet. */
  const prepare = async (
    passage: Passage,
    body: Read,
    isNamed: boolean,
    sink: FileSink,
  ): Promise<SubmittedFields | Refusal> => {
    let fields: SubmittedFields | Refusal | null = null;
    try {
      const refusal = isNamed ? await admitNamed(passage, body) : null;
      fields = refusal ?? translate(passage, body);
      return fields;
    } finally {
      if (fields === null || fields instanceof Refusal) await sink.discard(body.files);
    }
  };

  const read = async (
    passage: Passage,
    admitted: CompiledForm | null,
  ): Promise<Accepted | Refusal | 'aborted'> => {
    const { request, visit, budget } = passage;
    const head = checkHead(request, deps.limits);
    if (head instanceof Refusal) return head;
    if (request.headers.expect !== undefined) inviteBody(request);
    const sink = deps.intake.sinkFor(admitted);
    const body = await readBody<StagedFile | null>(request, head.type, deps.limits, sink, budget);
    if (body === 'aborted' || body instanceof Refusal) return body;
    const { files } = body;
    passage.dialect ??= dialectOfFields(body.fields);
    passage.fields = body.fields;
    const fields =
      passage.dialect === null ? body.fields : await prepare(passage, body, admitted === null, sink);
    if (fields instanceof Refusal) return fields;
    const { target } = passage;
    if (target === null) return refuse.formNotFound();
    const { idempotencyKey } = head;
    const outcome = await deps.intake.accept({ target, visit, fields, files, idempotencyKey });
    return outcome.kind === 'refused' ? outcome.refusal : outcome;
  };

  /** Without a target, the allowed readers are unknown. The response is then an error without data, which any page may read. */
  const headersFor = ({ visit, target, rate }: Passage): OutgoingHttpHeaders => {
    const headers: OutgoingHttpHeaders = {};
    if (rate) addRate(headers, rate);
    addCors(headers, readableOrigin(target, visit.origin));
    return headers;
  };

  /** Where the page wants to send its visitor, if the owner allows it. */
  const targetOf = (passage: Passage, wanted: 'redirect' | 'errorRedirect'): string | null => {
    const { request, target, visit } = passage;
    const asked = control(passage, wanted);
    if (asked === null || target === null) return null;
    const allowed = allowedTarget(asked, target, visit);
    if (allowed === null) deps.record('redirect', null, request, { ...passage, redirect: asked });
    return allowed;
  };

  /** Returns what a person typed on the hosted page, which shows errors at their inputs, or null if the submission came from elsewhere. */
  const typedOn = (passage: Passage, { violations }: Refusal): Typed | null => {
    const { request, target, fields, visit, dialect } = passage;
    const isOurs = target !== null && isFromHostedPage(target, visit) && dialect === null;
    if (!isOurs || fields === null || violations.length === 0) return null;
    return readerFor(request, passage.way) === 'person' ? { target, data: fields.json } : null;
  };

  const sendTyped = (passage: Passage, { target, data }: Typed, { violations }: Refusal): void => {
    const { request, response } = passage;
    const values = typedValues(data, target.form.fields);
    const content = { language: control(passage, 'language'), values, violations };
    answers.sendHostedPage(request, response, headersFor(passage), target, content);
  };

  const refuseWith = (passage: Passage, refusal: Refusal): void => {
    const { request, response, target } = passage;
    count(passage, refusal.code);
    deps.record(refusal.reason, refusal, request, passage);
    const voice = voiceOf(passage);
    const page = readerFor(request, voice) === 'person' ? targetOf(passage, 'errorRedirect') : null;
    const typed = page === null ? typedOn(passage, refusal) : null;
    if (page !== null) sendRedirect(request, response, headersFor(passage), page);
    else if (typed !== null) sendTyped(passage, typed, refusal);
    else answers.sendRefusal(request, response, headersFor(passage), refusal, target, voice);
  };

  const failWith = (passage: Passage, error: unknown): void => {
    const { request, response } = passage;
    if (!(error instanceof Refusal)) observer.failed(request, error);
    const refusal = refusalOf(error);
    if (refusal) {
      refuseWith(passage, refusal);
      return;
    }
    count(passage, 'internal_error');
    answers.sendInternalError(request, response, headersFor(passage), voiceOf(passage));
  };

  /** A form without a webhook URL has no delivery to imitate. */
  const confirm = ({ form, project }: CompiledForm, { submissionId, isHeld, isRepeated }: Accepted) => {
    const asked = { formId: form.id, submissionId, isRepeated };
    const imitates = isHeld && (form.webhookUrl ?? project.webhookUrl) !== null;
    return imitates ? deps.confirmation.imitate(asked) : deps.confirmation.await(asked);
  };

  const thanksPage = (passage: Passage, { form }: CompiledForm): string => {
    const language = control(passage, 'language') ?? '';
    const page = pageOf(passage);
    const query = new URLSearchParams();
    if (/^[a-z-]{2,35}$/i.test(language)) query.set('language', language);
    // Only the path. The browser names the website on the way there, so a forged link cannot lead visitors to another site.
    const path = page?.slice(new URL(page).origin.length) ?? '';
    if (path !== '' && encodeURIComponent(path).length <= maxPathLength) query.set('page', path);
    const address = `${deps.baseUrl}/f/${form.publicId}/success`;
    return query.size === 0 ? address : `${address}?${query}`;
  };

  const locationOf = (
    passage: Passage,
    to: string,
    { submissionId, files }: Accepted,
    webhook: 'delivered' | 'pending' | null,
  ): string =>
    control(passage, 'appendsParameters') === 'false'
      ? headerTarget(to)
      : redirectTarget(to, submissionId, files.length, webhook);

  const respond = async (passage: Passage, target: CompiledForm, accepted: Accepted): Promise<void> => {
    const { request, response, dialect, way } = passage;
    const { submissionId, files, isHeld } = accepted;
    count(passage, isHeld ? 'honeypot' : 'accepted');
    if (isHeld) deps.record('honeypot', null, request, passage);
    const headers = headersFor(passage);
    const reader = readerFor(request, way);
    const { successRedirect, waitForWebhook } = target.form;
    const chosen = targetOf(passage, 'redirect') ?? successRedirect;
    if (reader === 'program' && dialect === null) {
      if (chosen !== null) addSuccessRedirect(headers, locationOf(passage, chosen, accepted, null));
      return sendAcceptedJson(request, response, headers, submissionId, files);
    }
    if (reader === 'program' && dialect !== null) {
      const next = chosen ?? thanksPage(passage, target);
      const data = passage.fields?.json ?? '{}';
      const body = dialect.accepted({ submissionId, files, data, next });
      return sendJson(request, response, 200, headers, JSON.stringify(body));
    }
    if (reader === 'htmlScript') {
      const redirect = chosen && redirectTarget(chosen, submissionId, files.length, null);
      return answers.sendAcceptedHtml(request, response, headers, target.form, redirect, voiceOf(passage));
    }
    const to = chosen ?? thanksPage(passage, target);
    // Everything is stored: a request that waits now must not occupy memory or an upload place that others could use.
    if (waitForWebhook) passage.budget.release();
    const webhook = waitForWebhook ? await confirm(target, accepted) : null;
    sendRedirect(request, response, headers, locationOf(passage, to, accepted, webhook));
  };

  return async (request, response, way, passOn) => {
    const beganAt = performance.now();
    const visit = visitOf(request, deps.trusted);
    const budget = new BodyBudget(visit.ip, memory, deps.uploads);
    const passage: Passage = {
      request,
      response,
      way,
      visit,
      budget,
      beganAt,
      dialect: way.dialect ?? dialectOfHeaders(request.headers),
      target: null,
      rate: null,
      fields: null,
    };
    try {
      const limited = way.id === null ? deps.desk.limitOf(visit.ip) : null;
      if (limited !== null) {
        passage.rate = limited.rate;
        return refuseWith(passage, limited.refusal);
      }
      const admitted = way.id === null ? null : enter(passage, await deps.desk.admit(way.id, visit));
      if (admitted instanceof Refusal) {
        const isUnknown = way.isShared && admitted.code === 'form_not_found';
        return isUnknown ? passOn() : refuseWith(passage, admitted);
      }
      const outcome = await read(passage, admitted);
      if (outcome === 'aborted') return;
      if (outcome instanceof Refusal) refuseWith(passage, outcome);
      else if (passage.target !== null) await respond(passage, passage.target, outcome);
    } catch (error) {
      failWith(passage, error);
    } finally {
      budget.release();
    }
  };
}
