/**
 * POST and OPTIONS /f/{public_id}, the page after it, and the challenge before it. It runs directly on node:http: this is the path that
 * thousands of strangers a second may take, it streams, and it answers before the body has been read (docs/adr/0004).
 */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { IncomingFile, StagedFile, Staging } from '../../domain/files/staging.js';
import {
  type Admission,
  type AdmissionDesk,
  type RateReading,
  readableOrigin,
  type Visit,
} from '../../domain/submissions/admission.js';
import type { ChallengeDesk } from '../../domain/submissions/challenge.js';
import type { Accepted, Intake } from '../../domain/submissions/intake.js';
import type { CompiledForm } from '../../domain/submissions/intake-forms.js';
import { exampleOf } from '../../domain/tallies/seen.js';
import type { Tallies } from '../../domain/tallies/tallies.js';
import type { Confirmation } from '../../domain/webhooks/confirmation.js';
import { networksAround } from '../../kernel/addresses.js';
import { NetworkShares } from '../../kernel/network-shares.js';
import type { TrustedProxies } from '../../kernel/trust-proxy.js';
import { Refusal, refuse } from '../../model/errors.js';
import { plans } from '../../model/plans.js';
import type { TurnAwayReason } from '../../model/turned-away.js';
import { isAnsweredAsBroken } from '../connection/broken-request.js';
import { inviteBody } from '../connection/invitation.js';
import { refusalOf } from '../problem.js';
import { parseContentType, type SubmissionContentType } from './body/content-type.js';
import type { BodyLimits } from './body/limits.js';
import { type EnterUploads, type FileSink, type ReadOptions, readBody } from './body/read-body.js';
import { addCors, addPreflight, addPreflightForUnavailable } from './cors.js';
import {
  type Answers,
  addRate,
  redirectTarget,
  sendAcceptedJson,
  sendJson,
  sendRedirect,
  sendRefusalJson,
} from './respond.js';
import type { UploadPlace, UploadPool } from './upload-pool.js';
import { visitOf, wantsJson } from './visit.js';

/** Text of all bodies together that is being read or waits to be committed. */
const textMemory = {
  total: 256 * 1024 * 1024,
  narrow: 32 * 1024 * 1024,
  middle: 40 * 1024 * 1024,
  wide: 48 * 1024 * 1024,
};

/** Of each body: all connections that may be open hold 40 MB of it, and counting the usual small body was 1.5 % of its path. */
const uncountedBytes = 4 * 1024;

const formMethods = 'POST, OPTIONS';
const challengeMethods = 'GET, OPTIONS';

const idempotencyKeyShape = /^[\x21-\x7e]{1,255}$/;

export interface SubmitDeps {
  readonly desk: AdmissionDesk;
  readonly challenges: ChallengeDesk;
  readonly intake: Intake;
  readonly confirmation: Confirmation;
  readonly staging: Staging;
  readonly uploads: UploadPool;
  readonly tallies: Pick<Tallies, 'turnedAway'>;
  readonly limits: BodyLimits;
  readonly trusted: TrustedProxies;
  readonly baseUrl: string;
  readonly answers: Answers;
  readonly observer: SubmitObserver;
}

/** Who watches what becomes of submissions. */
export interface SubmitObserver {
  /** `accepted`, `honeypot`, `error`, or the kind of refusal. */
  answered(request: IncomingMessage, publicId: string, outcome: string, durationMs: number): void;
  /** Every other response below /f/. `route` is a pattern, not a path. */
  served(request: IncomingMessage, route: string, status: number, durationMs: number): void;
  /** A fault of ours: a surprise, or a store that cannot do its work. The visitor is not told. */
  failed(request: IncomingMessage, publicId: string, error: unknown): void;
}

/** A request on this path; `publicId` is what stands between /f/ and the next slash. */
export type SubmitHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  publicId: string,
  rest: string,
) => Promise<void>;

type Handle = (request: IncomingMessage, response: ServerResponse, publicId: string) => Promise<void>;

interface Place {
  readonly pattern: string;
  readonly allow: string;
  readonly by: Readonly<Partial<Record<string, Handle>>>;
}

export function createSubmitHandler(deps: SubmitDeps): SubmitHandler {
  const memory = new NetworkShares(textMemory);
  const kept = keeping(deps.staging);
  const { observer } = deps;
  const { sendRefusal, sendSurprise, sendThanks } = deps.answers;

  /** For the owner of the form. Unknown forms have none, and faults of ours have no reason. */
  const note = (
    reason: TurnAwayReason | undefined,
    refusal: Refusal | null,
    request: IncomingMessage,
    seen: { readonly target: CompiledForm | null; readonly visit: Visit; readonly rate: RateReading | null },
  ): void => {
    const { target, visit, rate } = seen;
    if (reason === undefined || target === null) return;
    const { 'content-type': contentType, 'content-length': contentLength } = request.headers;
    const example = exampleOf(reason, { target, visit, rate, contentType, contentLength }, refusal);
    deps.tallies.turnedAway(target.form.id, reason, example);
  };

  const submit = async (
    request: IncomingMessage,
    response: ServerResponse,
    publicId: string,
  ): Promise<void> => {
    const beganAt = performance.now();
    const answered = (outcome: string): void => {
      // It was counted with that response.
      if (isAnsweredAsBroken(request)) return;
      observer.answered(request, publicId, outcome, performance.now() - beganAt);
    };
    const visit = visitOf(request, deps.trusted);
    const headers: OutgoingHttpHeaders = {};
    const failWith = (error: unknown, refuseWith: (refusal: Refusal) => void): void => {
      if (!(error instanceof Refusal)) observer.failed(request, publicId, error);
      const refusal = refusalOf(error);
      if (refusal) {
        refuseWith(refusal);
        return;
      }
      answered('error');
      sendSurprise(request, response, headers);
    };
    let admission: Admission;
    try {
      const admitted = deps.desk.admit(publicId, visit);
      admission = admitted instanceof Promise ? await admitted : admitted;
    } catch (error) {
      // Who may read the form's responses is not known. This one is an error without data: everyone may.
      addCors(headers, readableOrigin(null, visit.origin));
      return failWith(error, (refusal) => {
        answered(refusal.kind);
        sendRefusal(request, response, headers, refusal, null);
      });
    }
    const { target, rate } = admission;
    addRate(headers, rate);
    addCors(headers, readableOrigin(target, visit.origin));

    const refuseWith = (refusal: Refusal): void => {
      answered(refusal.kind);
      note(refusal.reason, refusal, request, { target, visit, rate });
      sendRefusal(request, response, headers, refusal, target);
    };
    if (admission.refusal !== null || target === null) {
      return refuseWith(admission.refusal ?? refuse.formNotFound());
    }
    const type = judgeHead(request, deps.limits);
    if (type instanceof Refusal) return refuseWith(type);

    let held = 0;
    let uncounted = uncountedBytes;
    const charge = (bytes: number): Refusal | undefined => {
      if (bytes <= uncounted) {
        uncounted -= bytes;
        return undefined;
      }
      if (!memory.take(networksAround(visit.ip), bytes)) return refuse.busy();
      held += bytes;
      return undefined;
    };
    let place: UploadPlace | undefined;
    const enter: EnterUploads = (body) => {
      place = deps.uploads.enter(networksAround(visit.ip), body);
      return place.entered;
    };
    const release = (): void => {
      if (held > 0) memory.giveBack(networksAround(visit.ip), held);
      held = 0;
      place?.leave();
    };
    try {
      const outcome = await receive(request, type, target, visit, { charge, enter });
      if (outcome === 'aborted') return;
      if (outcome.kind === 'refused') return refuseWith(outcome.refusal);
      answered(outcome.isHeld ? 'honeypot' : 'accepted');
      if (outcome.isHeld) note('honeypot', null, request, { target, visit, rate });
      const { submissionId, files } = outcome;
      if (wantsJson(request)) return sendAcceptedJson(request, response, headers, submissionId, files);
      const { successRedirect, waitForWebhook } = target.form;
      const to = successRedirect ?? `${deps.baseUrl}/f/${target.form.publicId}/success`;
      let webhook: 'delivered' | 'pending' | null = null;
      if (waitForWebhook) {
        // All is stored: who waits now holds neither memory nor a place that others could use.
        release();
        webhook = await confirmed(target, outcome);
      }
      sendRedirect(request, response, headers, redirectTarget(to, submissionId, files.length, webhook));
    } catch (error) {
      failWith(error, refuseWith);
    } finally {
      release();
    }
  };

  /** A form without receivers has nothing to imitate. */
  const confirmed = ({ form, project }: CompiledForm, { submissionId, isHeld, isRepeated }: Accepted) => {
    const asked = { formId: form.id, submissionId, isRepeated };
    const imitates = isHeld && (form.webhookUrl ?? project.webhookUrl) !== null;
    return imitates ? deps.confirmation.imitate(asked) : deps.confirmation.await(asked);
  };

  const receive = async (
    request: IncomingMessage,
    type: SubmissionContentType,
    target: CompiledForm,
    visit: Visit,
    options: ReadOptions,
  ) => {
    const idempotencyKey = request.headers['idempotency-key'] ?? null;
    if (request.headers.expect !== undefined) inviteBody(request);
    const sink = plans[target.plan].fileUploads ? kept : dropping;
    const body = await readBody<StagedFile | null>(request, type, deps.limits, sink, options);
    if (body === 'aborted') return body;
    if (body instanceof Refusal) return { kind: 'refused', refusal: body } as const;
    const files = body.files.filter((file): file is StagedFile => file !== null);
    return await deps.intake.accept({
      target,
      visit,
      fields: body.fields,
      files,
      filesWithoutPlan: files.length < body.files.length,
      idempotencyKey: idempotencyKey as string | null,
    });
  };

  const preflight = async (
    request: IncomingMessage,
    response: ServerResponse,
    publicId: string,
    methods: string,
  ): Promise<void> => {
    const visit = visitOf(request, deps.trusted);
    const headers: OutgoingHttpHeaders = {};
    const asked = request.headers['access-control-request-headers'];
    let found: CompiledForm | Refusal;
    try {
      found = await deps.desk.find(publicId, visit.ip);
    } catch (error) {
      observer.failed(request, publicId, error);
      addPreflightForUnavailable(headers, asked, methods);
      response.writeHead(204, headers).end();
      return;
    }
    const target = found instanceof Refusal ? null : found;
    const readable = readableOrigin(target, visit.origin);
    addCors(headers, readable);
    if (found instanceof Refusal) return sendRefusal(request, response, headers, found, null);
    // Its browser ends here and sends nothing: who wonders why nothing comes finds it in the record.
    if (readable === null) {
      note('origin', null, request, { target, visit, rate: null });
    }
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
      // Who gets no challenge sends no form: this is where the owner of a wrong origin list sees it.
      note(result.reason, result, request, { target, visit, rate: null });
      // Asked for by scripts: also a refusal is JSON, whatever the browser says it accepts.
      return sendRefusalJson(request, response, headers, result);
    }
    sendJson(request, response, 200, headers, result);
  };

  const successPage = async (
    request: IncomingMessage,
    response: ServerResponse,
    publicId: string,
  ): Promise<void> => {
    const { ip, origin } = visitOf(request, deps.trusted);
    const found = await deps.desk.find(publicId, ip);
    const headers: OutgoingHttpHeaders = {};
    addCors(headers, readableOrigin(found instanceof Refusal ? null : found, origin));
    if (found instanceof Refusal) return sendRefusal(request, response, headers, found, null);
    sendThanks(request, response, headers, found.form.name);
  };

  const preflightOf =
    (methods: string): Handle =>
    (request, response, publicId) =>
      preflight(request, response, publicId, methods);
  /** All but submissions, by what follows the id. */
  const form: Place = { pattern: '/f/:id', allow: formMethods, by: { OPTIONS: preflightOf(formMethods) } };
  const places: Readonly<Record<string, Place>> = {
    '': form,
    '/': form,
    '/success': {
      pattern: '/f/:id/success',
      allow: 'GET, HEAD',
      by: { GET: successPage, HEAD: successPage },
    },
    '/challenge': {
      pattern: '/f/:id/challenge',
      allow: challengeMethods,
      by: { GET: challenge, OPTIONS: preflightOf(challengeMethods) },
    },
  };
  const serve = async (
    request: IncomingMessage,
    response: ServerResponse,
    publicId: string,
    place: Place | undefined,
  ): Promise<void> => {
    const handle = place?.by[request.method ?? ''];
    if (handle) return handle(request, response, publicId);
    const headers: OutgoingHttpHeaders = place ? { allow: place.allow } : {};
    addCors(headers, readableOrigin(null, undefined));
    const refusal = place ? refuse.methodNotAllowed() : refuse.pathNotFound();
    sendRefusal(request, response, headers, refusal, null);
  };

  return async (request, response, publicId, rest) => {
    // Awaited: handing a promise over to the caller's takes two more turns than its value does.
    if (request.method === 'POST' && (rest === '' || rest === '/'))
      return await submit(request, response, publicId);
    const beganAt = performance.now();
    const place = Object.hasOwn(places, rest) ? places[rest] : undefined;
    try {
      await serve(request, response, publicId, place);
    } catch (error) {
      if (!(error instanceof Refusal)) observer.failed(request, publicId, error);
      if (response.headersSent) {
        response.destroy();
        return;
      }
      const headers: OutgoingHttpHeaders = {};
      addCors(headers, readableOrigin(null, undefined));
      const refusal = refusalOf(error);
      if (refusal) sendRefusal(request, response, headers, refusal, null);
      else sendSurprise(request, response, headers);
    }
    observer.served(request, place?.pattern ?? '/f/*', response.statusCode, performance.now() - beganAt);
  };
}

/** What the head already tells about the body: its type, its coding, its declared size. */
function judgeHead(request: IncomingMessage, limits: BodyLimits): SubmissionContentType | Refusal {
  const { headers } = request;
  const type = parseContentType(headers['content-type'], limits);
  if (type instanceof Refusal) return type;
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    return refuse.invalidSubmission(
      'Compressed bodies are not accepted; send the body without Content-Encoding',
    );
  }
  const key = headers['idempotency-key'];
  if (key !== undefined && (typeof key !== 'string' || !idempotencyKeyShape.test(key))) {
    return refuse.invalidSubmission(
      'Idempotency-Key must be 1 to 255 printable ASCII characters without blanks',
    );
  }
  const limit = type.kind === 'multipart' ? limits.maxBodyBytes : limits.maxTextBytes;
  return Number(headers['content-length'] ?? 0) > limit ? refuse.tooManyBytes('The body', limit) : type;
}

const keeping = (staging: Staging): FileSink<StagedFile | null> => ({
  stage: (file: IncomingFile) => staging.stage(file),
  discard: (staged) => staging.discard(staged.filter((file): file is StagedFile => file !== null)),
});

/** For plans without uploads: the bytes pass by, so that limits and the honeypot still speak first. */
const dropping: FileSink<StagedFile | null> = {
  async stage({ content }) {
    if (content instanceof Readable) for await (const _ of content);
    return null;
  },
  async discard() {},
};
