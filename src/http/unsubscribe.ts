/**
 * The link that ends the mails to one recipient. Mail programs send a POST on their own (RFC 8058), which counts at once and gets no
 * redirect. People open the link, but so do scanners: the page asks first, and only its button counts.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Subscriptions, unsubscribePath } from '../domain/mail/subscriptions.js';
import { type Clock, secondsUntil } from '../kernel/clock.js';
import { chooseLanguage, type Language } from '../kernel/language.js';
import { sha256Hex } from '../kernel/secrets.js';
import { refuse } from '../model/errors.js';
import type { Subscription } from '../model/subscription.js';
import type { Counters } from '../ports/counters.js';
import { readText } from './management-body.js';
import { plainLook } from './submit/page-look.js';
import { noticeOf } from './submit/page-notice.js';
import type { ActionContent, VisitorPages } from './submit/pages.js';
import { unsubscribeWords } from './unsubscribe-words.js';

const resubscribePath = '/resubscribe';
const maxBodyBytes = 4 * 1024;
const windowMs = 60_000;
/** Per link, not per address: mail providers send the requests of all their users from a few addresses. */
const pressesPerMinute = 10;

type Shown = Pick<ActionContent, 'mark' | 'notice' | 'button'>;

const asked = (language: Language, { address }: Subscription): Shown => {
  const { ask, unsubscribe } = unsubscribeWords[language];
  return { mark: 'wait', notice: ask(address), button: unsubscribe };
};
const done = (language: Language, { address }: Subscription): Shown => {
  const words = unsubscribeWords[language];
  return { mark: 'done', notice: words.done(address), button: words.resubscribe };
};
const invalid = (language: Language): Shown => ({
  mark: 'stop',
  notice: unsubscribeWords[language].invalid,
  button: null,
});

const tooMany = (language: Language, seconds: number): Shown => {
  const notice = noticeOf(refuse.submissionRateLimited(seconds), language);
  return { mark: notice.mark, notice, button: null };
};

export async function unsubscribeRoutes(
  app: FastifyInstance,
  deps: {
    readonly subscriptions: Subscriptions;
    readonly pages: VisitorPages;
    readonly basePath: string;
    readonly counters: Counters;
    readonly clock: Clock;
  },
): Promise<void> {
  const { subscriptions, pages, basePath, counters, clock } = deps;

  const tokenOf = ({ query }: FastifyRequest): string => {
    const { token } = query as Readonly<Record<string, unknown>>;
    return typeof token === 'string' ? token : '';
  };
  const send = (request: FastifyRequest, reply: FastifyReply, show: (language: Language) => Shown) => {
    const language = chooseLanguage(request.headers['accept-language']);
    const page = pages.renderAction({ ...show(language), language, formName: null, look: plainLook });
    return reply.headers(pages.actionHeadersFor(language, plainLook)).send(page);
  };
  const goTo = (path: string, request: FastifyRequest, reply: FastifyReply) =>
    reply.redirect(`${basePath}${path}?token=${encodeURIComponent(tokenOf(request))}`, 303);

  /** Returns null when the button may be pressed, otherwise the seconds to wait. */
  const waitOf = async ({ accountId, destinationId, address }: Subscription): Promise<number | null> => {
    const key = sha256Hex(`${accountId} ${destinationId} ${address}`);
    const { count, resetsAt } = await counters.hit(`unsubscribe:${key}`, windowMs);
    return count <= pressesPerMinute ? null : secondsUntil(resetsAt, clock.now());
  };

  /** The page of one of two states. Its button changes to the other state, whose path is `other`. */
  const page = (
    scope: FastifyInstance,
    path: string,
    own: {
      readonly isUnsubscribed: boolean;
      readonly show: (language: Language, subscription: Subscription) => Shown;
      readonly press: (subscription: Subscription) => Promise<void>;
      readonly other: string;
    },
  ): void => {
    scope.get(path, async (request, reply) => {
      const subscription = subscriptions.open(tokenOf(request));
      if (!subscription) return send(request, reply.code(404), invalid);
      if ((await subscriptions.isUnsubscribed(subscription)) !== own.isUnsubscribed)
        return goTo(own.other, request, reply);
      return send(request, reply, (language) => own.show(language, subscription));
    });
    scope.post(path, { bodyLimit: maxBodyBytes }, async (request, reply) => {
      const subscription = subscriptions.open(tokenOf(request));
      if (!subscription) return send(request, reply.code(404), invalid);
      const seconds = await waitOf(subscription);
      if (seconds !== null)
        return send(request, reply.code(429).header('retry-after', seconds), (language) =>
          tooMany(language, seconds),
        );
      await own.press(subscription);
      // The button sends no body.
      if (!request.body) return goTo(own.other, request, reply);
      return send(request, reply, (language) => ({ ...done(language, subscription), button: null }));
    });
  };

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (request: FastifyRequest, payload: IncomingMessage) =>
      readText(request, payload),
    );
    page(scope, unsubscribePath, {
      isUnsubscribed: false,
      show: asked,
      press: subscriptions.unsubscribe,
      other: resubscribePath,
    });
    page(scope, resubscribePath, {
      isUnsubscribed: true,
      show: done,
      press: subscriptions.resubscribe,
      other: unsubscribePath,
    });
  });
}
