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
import type { Principal } from '../../model/account.js';
import { refuse } from '../../model/errors.js';
import { isAllowed } from '../../model/permission.js';
import type { Gate } from '../principal.js';
import { Raw, Reply, routesOf } from '../route.js';

const maxStreams = 100;
const maxStreamsPerCaller = 10;
/** However many keys it has. */
const maxStreamsPerAccount = 40;
/** Some hundred events that a reader has not taken: it is gone, or too slow to ever catch up. */
const maxUnreadBytes = 64 * 1024;
/** Shorter than the patience of the usual proxies. */
const heartbeatMs = 15_000;
/** An event, for browsers hide comments: who hears none for a while knows that the connection is dead. */
const heartbeat = 'event: heartbeat\ndata: {}\n\n';
const longestLifeMs = 30 * 60_000;
const retryMs = 3_000;

const streamType = 'text/event-stream; charset=utf-8';
const streamHeaders = {
  'cache-control': 'no-store',
  // Proxies that gather answers would hold every event back.
  'x-accel-buffering': 'no',
};

function eventText(event: LiveEvent): string {
  const place = event.projectId === null ? {} : { form_id: event.formId, project_id: event.projectId };
  return `event: ${event.kind}\ndata: ${JSON.stringify({ ...dataOf(event), ...place })}\n\n`;
}

function dataOf(event: LiveEvent) {
  if (event.kind === 'submission.created')
    return { id: event.submissionId, created_at: isoTime(event.createdAt) };
  if (event.kind === 'delivery.changed')
    return { submission_id: event.submissionId, webhook_state: event.webhookState };
  if (event.kind === 'submission.changed') return { ids: event.submissionIds };
  if (event.kind === 'audit.recorded') return { seq: event.seq, action: event.action };
  return { destination_id: event.destinationId };
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
        response.writeHead(200, { 'content-type': streamType, ...streamHeaders });
        // Something at once: a proxy, and the browser, wait for the first bytes to say that it is open.
        response.write(`retry: ${retryMs}\n\n`);
        const stopListening = listen((event) => write(eventText(event)));
        const end = (): void => void response.end();
        const beating = setInterval(
          () => caller.prove().then(() => write(heartbeat), end),
          options.heartbeatMs ?? heartbeatMs,
        );
        const lifetime = setTimeout(end, longestLifeMs);
        endings.add(end);
        response.once('close', () => {
          endings.delete(end);
          clearInterval(beating);
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

const hearsAudit = ({ access: { role } }: Principal): boolean =>
  role !== null && isAllowed(role, 'audit.read');

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
  const reader = gate.may('submissions.read');
  routesOf(
    app,
    'Statistics',
  )({
    method: 'GET',
    path: '/events',
    operationId: 'followEvents',
    summary: 'Follow new submissions and changes to them as they happen, as server-sent events',
    query: EventsQuery,
    responses: { 200: EventStream },
    errors: [404],
    ...reader,
    async handle({ who, query: { form_id, project_id }, request }) {
      const filter = {
        reach: who,
        formId: form_id === undefined ? null : (await forms.get(who, form_id)).form.id,
        projectId: project_id === undefined ? null : (await projects.get(who, project_id)).id,
        withAudit: hearsAudit(who),
      };
      const id = who.keyId ?? who.userId ?? who.accountId;
      // What they reach is fixed while a stream is open: after a change they open another.
      const prove = async () => {
        const now = await reader.caller(request);
        if (`${now.projectIds}` !== `${who.projectIds}` || hearsAudit(now) !== hearsAudit(who))
          throw refuse.roleNotSufficient();
      };
      // HEAD, which the framework adds to every GET, takes no place.
      const stream = request.method === 'HEAD' ? null : streams.take({ accountId: who.accountId, id, prove });
      const content = (response: ServerResponse): void =>
        stream?.(response, (send) => events.listen(filter, send));
      return new Reply(200, new Raw(streamType, content), streamHeaders);
    },
  });
}
