/**
 * /api/v1/events: server-sent events. A stream takes a place and a bounded buffer: there are only so many, who does not read is cut
 * off, and with each heartbeat the caller is proven anew: a key that was taken back, or a session that was ended, hears no more.
 */
import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { EventStream, EventsQuery } from '../../contract/events.js';
import type { EventFeed, LiveEvent } from '../../domain/events/feed.js';
import type { FormService } from '../../domain/forms/service.js';
import type { ProjectService } from '../../domain/projects/service.js';
import { isoTime } from '../../kernel/clock.js';
import { Slots } from '../../kernel/concurrency.js';
import { refuse } from '../../model/errors.js';
import type { Gate } from '../principal.js';
import { route } from '../route.js';

const maxStreams = 100;
const maxStreamsPerCaller = 10;
/** However many keys it has. */
const maxStreamsPerAccount = 40;
/** Some hundred events that a reader has not taken: it is away, or too slow to ever follow. */
const maxUnreadBytes = 64 * 1024;
/** Shorter than the patience of the usual proxies. */
const heartbeatMs = 15_000;
const longestLifeMs = 30 * 60_000;
const retryMs = 3_000;

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Proxies that gather answers would hold every event back.
  'x-accel-buffering': 'no',
};

function eventText(event: LiveEvent): string {
  const place = { form_id: event.formId, project_id: event.projectId };
  const data =
    event.kind === 'submission.created'
      ? { id: event.submissionId, ...place, created_at: isoTime(event.createdAt) }
      : { submission_id: event.submissionId, ...place, webhook_state: event.webhookState };
  return `event: ${event.kind}\ndata: ${JSON.stringify(data)}\n\n`;
}

type Listen = (send: (event: LiveEvent) => void) => () => void;

export interface StreamCaller {
  readonly accountId: string;
  readonly id: string;
  /** Rejects when they may no longer listen. */
  readonly prove: () => Promise<unknown>;
}

/** Streams on this answer until one of the two ends it. */
type StreamPlace = (response: ServerResponse, listen: Listen) => void;

export interface EventStreams {
  readonly open: number;
  /** Takes a place, or refuses because there are none; the place is used at once. */
  take(caller: StreamCaller): StreamPlace;
  /** Ends all of them; further ones end at once. */
  end(): void;
}

export function createEventStreams(options: { heartbeatMs?: number } = {}): EventStreams {
  const places = new Slots(maxStreams, maxStreamsPerCaller);
  const shares = new Slots(maxStreams, maxStreamsPerAccount);
  const endings = new Set<() => void>();
  let isEnding = false;
  return {
    get open() {
      return endings.size;
    },

    take(caller) {
      const freePlace = places.take(caller.id);
      if (!freePlace) throw refuse.tooManyStreams(maxStreamsPerCaller);
      const freeShare = shares.take(caller.accountId);
      if (!freeShare) {
        freePlace();
        throw refuse.tooManyStreams(maxStreamsPerAccount);
      }
      const free = (): void => {
        freePlace();
        freeShare();
      };
      return (response, listen) => {
        // Gone while we looked up what they asked for: no `close` would come any more.
        if (response.destroyed) return free();
        const write = (text: string): void => {
          if (response.writableLength > maxUnreadBytes) response.destroy();
          else response.write(text);
        };
        response.writeHead(200, { ...streamHeaders });
        // Something at once: a proxy, and the browser, wait for the first bytes to say that it is open.
        response.write(`retry: ${retryMs}\n\n`);
        const stopListening = listen((event) => write(eventText(event)));
        const end = (): void => void response.end();
        const heartbeat = setInterval(
          () => caller.prove().then(() => write(':\n\n'), end),
          options.heartbeatMs ?? heartbeatMs,
        );
        const lifetime = setTimeout(end, longestLifeMs);
        endings.add(end);
        response.once('close', () => {
          endings.delete(end);
          clearInterval(heartbeat);
          clearTimeout(lifetime);
          stopListening();
          free();
        });
        if (isEnding) end();
      };
    },

    end() {
      isEnding = true;
      for (const end of endings) end();
    },
  };
}

export function eventRoutes(
  app: FastifyInstance,
  deps: {
    gate: Gate;
    forms: FormService;
    projects: ProjectService;
    events: EventFeed;
    streams: EventStreams;
  },
): void {
  const { gate, forms, projects, events, streams } = deps;
  route(app, {
    method: 'GET',
    path: '/events',
    tag: 'Numbers',
    summary: 'Follow new submissions and changes of their webhooks as they happen, as server-sent events',
    query: EventsQuery,
    answers: { 200: EventStream },
    errors: [404],
    caller: gate.reader,
    async handle({ who, request, reply }) {
      const { form_id, project_id } = request.query as EventsQuery;
      const wish = {
        accountId: who.accountId,
        formId: form_id === undefined ? null : (await forms.get(who, form_id)).form.id,
        projectId: project_id === undefined ? null : (await projects.get(who, project_id)).id,
      };
      // Made beside every GET by the framework; it has no end to wait for.
      if (request.method === 'HEAD') return reply.headers(streamHeaders).send();
      const stream = streams.take({
        accountId: who.accountId,
        id: who.keyId ?? who.userId ?? who.accountId,
        prove: () => gate.reader(request),
      });
      reply.hijack();
      stream(reply.raw, (send) => events.listen(wish, send));
      return reply;
    },
  });
}
