/**
 * /confirm/{token}: the page that the link in a confirmation mail opens. Mail scanners open links, so opening it changes nothing;
 * its button does. Works without scripts.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OptInService, OptInSight, OptInState } from '../domain/submissions/opt-in.js';
import { rateKey } from '../kernel/addresses.js';
import { type Clock, secondsUntil } from '../kernel/clock.js';
import { chooseLanguage } from '../kernel/language.js';
import { refuse } from '../model/errors.js';
import type { Counters } from '../ports/counters.js';
import { confirmWords } from './submit/confirm-words.js';
import { lookOf, type PageLook, plainLook } from './submit/page-look.js';
import { type Mark, noticeOf } from './submit/page-notice.js';
import { type ActionContent, createVisitorPages } from './submit/pages.js';

const windowMs = 60_000;
/** Per address or /64. A visitor presses the button once, but several can share the address of an office. */
const confirmsPerMinute = 30;

const outcomes: Readonly<Record<OptInState, { readonly status: number; readonly mark: Mark }>> = {
  waiting: { status: 200, mark: 'wait' },
  confirmed: { status: 200, mark: 'done' },
  already_confirmed: { status: 200, mark: 'done' },
  expired: { status: 410, mark: 'stop' },
  full: { status: 409, mark: 'stop' },
  unknown: { status: 404, mark: 'stop' },
};

export interface ConfirmDeps {
  readonly optIns: OptInService;
  readonly counters: Counters;
  readonly clock: Clock;
  readonly baseUrl: string;
  /** The address of the client, after the trust-proxy rule. */
  readonly addressOf: (request: FastifyRequest) => string;
}

type Confirming = { Params: { token: string } };
type Words = Omit<ActionContent, 'language'>;

const maxUserAgent = 2048;

export function confirmRoutes(app: FastifyInstance, deps: ConfirmDeps): void {
  const { optIns, counters, clock, addressOf } = deps;
  const pages = createVisitorPages(deps.baseUrl);

  const send = (request: FastifyRequest, reply: FastifyReply, status: number, words: Words): FastifyReply => {
    const language = chooseLanguage(request.headers['accept-language']);
    const page = pages.renderAction({ language, ...words });
    return reply.code(status).headers(pages.actionHeadersFor(language, words.look)).send(page);
  };

  const sendView = (
    request: FastifyRequest,
    reply: FastifyReply,
    { state, form }: OptInSight,
  ): FastifyReply => {
    const words = confirmWords[chooseLanguage(request.headers['accept-language'])];
    const { status, mark } = outcomes[state];
    const look: PageLook = form === null ? plainLook : lookOf(form);
    const button = state === 'waiting' ? words.button : null;
    return send(request, reply, status, {
      mark,
      notice: words[state],
      formName: form?.name ?? null,
      button,
      look,
    });
  };

  /** Returns null when the client may confirm, otherwise the seconds to wait. */
  const waitOf = async (request: FastifyRequest): Promise<number | null> => {
    const { count, resetsAt } = await counters.hit(`confirm:${rateKey(addressOf(request))}`, windowMs);
    return count <= confirmsPerMinute ? null : secondsUntil(resetsAt, clock.now());
  };

  app.get<Confirming>('/confirm/:token', async (request, reply) =>
    sendView(request, reply, await optIns.look(request.params.token)),
  );

  app.post<Confirming>('/confirm/:token', { bodyLimit: 1024 }, async (request, reply) => {
    const seconds = await waitOf(request);
    if (seconds !== null) {
      const notice = noticeOf(
        refuse.submissionRateLimited(seconds),
        chooseLanguage(request.headers['accept-language']),
      );
      reply.header('retry-after', seconds);
      return send(request, reply, 429, {
        mark: notice.mark,
        notice,
        formName: null,
        button: null,
        look: plainLook,
      });
    }
    const ip = addressOf(request);
    const userAgent = request.headers['user-agent']?.slice(0, maxUserAgent) ?? '';
    return sendView(request, reply, await optIns.confirm(request.params.token, { ip, userAgent }));
  });
}
