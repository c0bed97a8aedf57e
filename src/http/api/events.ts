/**
 * /api/v1/events: server-sent events. The number of streams is limited, and so is the buffer of each: a client that does not read
 * is disconnected. Each heartbeat authenticates the caller again, so a revoked key or an ended session gets no more events.
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
/** However many keys the account has. */
const maxStreamsPerAccount = 40;
/** A few hundred unread events: the client is disconnected, or too slow to ever catch up. */
const maxUnreadBytes = 64 * 1024;
/** Shorter than the idle timeout of common proxies. */
const heartbeatMs = 15_000;
/** An event, because browsers hide comments: a client that gets none for a while knows that the connection is dead. */
const heartbeat = 'event: heartbeat\ndata: {}\n\n';
const longestLifeMs = 30 * 60_000;
const retryMs = 3_000;

const streamType = 'text/event-stream; charset=utf-8';
const streamHeaders = {
  'cache-control': 'no-store',
  // Proxies that buffer responses would delay every event.
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
  /** Rejects when the caller may no longer listen. */
  readonly prove: () => Promise<unknown>;
}

/** Streams to this response until either side ends it. */
type StreamPlace = (response: ServerResponse, listen: Listen) => void;

export interface EventStreams {
  readonly open: number;
  /** Takes a place, or throws when there is none. The place must be used at once. */
  take(caller: StreamCaller): StreamPlace;
  /** Ends all streams. New ones end at once. */
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
        // The client disconnected while the request was handled: `close` would never be emitted.
        if (response.destroyed) return free();
        const write = (text: string): void => {
          if (response.writableLength > maxUnreadBytes) response.destroy();
          else response.write(text);
        };
        response.writeHead(200, { 'content-type': streamType, ...streamHeaders });
        // Write something at once: proxies and browsers wait for the first bytes before they treat the stream as open.
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
      // A stream's access is fixed while it is open. When access changes, it ends and the client opens another.
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
