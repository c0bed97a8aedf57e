/** Plans the deliveries of a submission, each with its body frozen. Pure. */
import { distinctAddresses } from '../../kernel/email-address.js';
import { isSameUrl } from '../../kernel/hosts.js';
import { newId } from '../../kernel/ids.js';
import { visitorAddress } from '../../model/autoresponder.js';
import {
  type Delivery,
  type DeliveryTrigger,
  digestAddress,
  digestQueue,
  laneOf,
  type Queue,
  queues,
} from '../../model/delivery.js';
import {
  builtInEmail,
  builtInId,
  builtInToVisitor,
  builtInWebhook,
  type Destination,
} from '../../model/destination.js';
import { nextDigestAt } from '../../model/digest.js';
import type { Form } from '../../model/form.js';
import type { OptIn } from '../../model/opt-in.js';
import { type DestinationKinds, kindOf, type Prepared } from '../../ports/destination-kind.js';
import type { FormAndProject } from '../../ports/store.js';
import { type EventSource, type Links, shareEvent } from './event.js';
import { type Filter, parseFilter } from './filter.js';
import { parseDocument, parseText, type Template } from './template.js';

/** What planning needs besides the submission. */
export interface Planning {
  readonly kinds: DestinationKinds;
  readonly links: Links;
  /** Without a mail server no notification is queued: setting one up later must not send old ones. */
  readonly sendsMail: boolean;
}

/** A destination of a form, with filter and template compiled once for many submissions. */
export interface Route {
  readonly destination: Destination;
  readonly filter: Filter | null;
  readonly template: Template | null;
}

export interface Routes {
  readonly all: readonly Route[];
  /** For copies that a page requests. Not in `all` when the form has no notification addresses. */
  readonly notifications: Destination;
  /** The reply to the visitor; null when there is none. */
  readonly reply: ReplyRoute | null;
}

interface ReplyRoute {
  readonly destination: Destination;
  /** Which field holds the visitor's address. */
  readonly field: string;
}

/**
 * The most that one submission may become. 200 webhooks with the largest submission took 260 MB of disk and 540 MB of
 * memory, and 200 destinations with 60 addresses each would send 12,000 mails.
 */
const maxPlannedChars = 32 * 1024 * 1024;
const maxDeliveries = 1_000;

export interface Plan {
  readonly deliveries: readonly Delivery[];
  /** The destinations whose filter it did not pass, or that would exceed the limits per submission. */
  readonly skipped: readonly string[];
}

/** The active destinations of a form: its own and its project's, the built-in ones first. */
export function routesOf({ form, project }: FormAndProject, rows: readonly Destination[]): Routes {
  const stored = (id: string): Destination | null => rows.find((row) => row.id === id) ?? null;
  const formWebhook = builtInWebhook(form, stored(builtInId(form.id, 'webhook')));
  const projectWebhook = builtInWebhook(project, stored(builtInId(project.id, 'webhook')));
  // An endpoint of both the form and the project gets the event once, however its URL is spelt.
  const isNamedTwice =
    formWebhook?.isActive && projectWebhook && isSameUrl(formWebhook.config.url, projectWebhook.config.url);
  const notifications = builtInEmail(form, stored(builtInId(form.id, 'email')));
  const destinations = [
    formWebhook,
    isNamedTwice ? null : projectWebhook,
    notifications,
    builtInEmail(
      { ...project, notifyEmails: distinctAddresses(project.notifyEmails, form.notifyEmails) },
      stored(builtInId(project.id, 'email')),
    ),
    ...rows.filter((row) => !row.builtIn),
  ];
  return {
    all: destinations.flatMap((one) => (one?.isActive && !isEmpty(one) ? [routeOf(one)] : [])),
    notifications,
    reply: replyOf(form),
  };
}

const replyOf = (form: Form): ReplyRoute | null =>
  form.autoresponder?.enabled
    ? { destination: builtInToVisitor(form, 'reply'), field: form.autoresponder.field }
    : null;

const isEmpty = ({ builtIn, kind, config }: Destination): boolean =>
  builtIn && kind === 'email' && config.to.length === 0;

export const routeOf = (destination: Destination): Route => ({
  destination,
  filter: compiledFilter(destination.filter),
  template: compiledTemplate(destination.template),
});

/**
 * Caches compiled texts. Settings are loaded every second, and the templates of 200 destinations, at most 3.3 million
 * characters together, take more than a second to parse.
 */
function remembering<Value>(compile: (json: unknown) => Value): (text: string | null) => Value | null {
  const values = new Map<string, Value>();
  let chars = 0;
  return (text) => {
    if (text === null) return null;
    const known = values.get(text);
    if (known !== undefined) return known;
    const value = compile(JSON.parse(text));
    values.set(text, value);
    chars += text.length;
    for (const oldest of values.keys()) {
      if (chars <= maxCompiledChars) break;
      values.delete(oldest);
      chars -= oldest.length;
    }
    return value;
  };
}

const maxCompiledChars = 8 * 1024 * 1024;

// Checked when they were saved. One that does not parse is ignored, so that no submission is lost.
export const compiledFilter = remembering((json) => {
  const parsed = parseFilter(json);
  return 'filter' in parsed ? parsed.filter : null;
});
export const compiledTemplate = remembering((json) => {
  const parsed = typeof json === 'string' ? parseText(json) : parseDocument(json);
  return 'template' in parsed ? parsed.template : null;
});

export function planDeliveries(
  source: EventSource & FormAndProject,
  { all, notifications, reply }: Routes,
  { kinds, links, sendsMail }: Planning,
  copies: readonly string[] = [],
  now: number = source.submission.createdAt,
): Plan {
  if (all.length === 0 && copies.length === 0 && reply === null) return nothing;
  const { form, project } = source;
  const event = shareEvent(source, 'submission.created', links);
  const deliveries: Delivery[] = [];
  const skipped: string[] = [];
  let room = maxPlannedChars;
  for (const { destination, filter, template } of all) {
    if (!sendsMail && destination.kind === 'email' && destination.builtIn) continue;
    if (filter && !event.passes(filter)) {
      skipped.push(destination.id);
      continue;
    }
    const dueAt = digestDueAt(destination, now);
    if (dueAt !== null) {
      const waiting = deliveryOf(source, destination, { address: digestAddress, body: '' }, kinds);
      deliveries.push({ ...waiting, queue: digestQueue, nextAttemptAt: dueAt });
      continue;
    }
    const prepared = kindOf(kinds, destination).prepare(event.for(template), destination);
    const chars = prepared.reduce((sum, { body }) => sum + body.length, 0);
    if (chars > room || deliveries.length + prepared.length > maxDeliveries) {
      skipped.push(destination.id);
      continue;
    }
    room -= chars;
    for (const one of prepared) deliveries.push(deliveryOf(source, destination, one, kinds));
  }
  if (sendsMail && notifications.isActive) {
    for (const address of distinctAddresses(copies, [...form.notifyEmails, ...project.notifyEmails]))
      deliveries.push(deliveryOf(source, notifications, { address, body: '' }, kinds));
  }
  // Planned even without a mail server: the reply is then suppressed, and the owner sees why.
  const visitor = reply && visitorAddress(event.for(null).fields(), reply.field);
  if (reply && visitor !== null)
    deliveries.push(deliveryOf(source, reply.destination, { address: visitor, body: '' }, kinds));
  return { deliveries, skipped };
}

/** Returns when the submission's digest is due, or null when the destination has no digest. */
function digestDueAt({ kind, config }: Destination, now: number): number | null {
  if (kind !== 'email' || !config.digest) return null;
  const known = dueAtOf.get(config.digest);
  if (known && known.from <= now && now < known.at) return known.at;
  const at = nextDigestAt(config.digest, now);
  dueAtOf.set(config.digest, { from: now, at });
  return at;
}

/** Computing a time in a time zone takes longer than planning, so it is done once per due time. */
const dueAtOf = new WeakMap<object, { readonly from: number; readonly at: number }>();

/** For an unconfirmed submission: destinations do not get it yet, but the visitor is asked to confirm it. */
export const planConfirmationMail = (
  source: EventSource & FormAndProject,
  { address }: OptIn,
  { kinds }: Planning,
): Plan => ({
  deliveries: [
    deliveryOf(source, builtInToVisitor(source.form, 'confirmation'), { address, body: '' }, kinds),
  ],
  skipped: [],
});

const nothing: Plan = { deliveries: [], skipped: [] };

const deliveryOf = (
  { form, project, submission }: EventSource,
  destination: Destination,
  { address, body }: Prepared,
  kinds: DestinationKinds,
): Delivery => ({
  id: newId(submission.createdAt),
  submissionId: submission.id,
  formId: form.id,
  projectId: project.id,
  destinationId: destination.id,
  kind: destination.kind,
  target: destination.formId === null ? 'project' : 'form',
  lane: laneOf(kindOf(kinds, destination).originOf(destination), destination.id),
  url: address,
  body,
  state: 'pending',
  attempt: 0,
  extraAttempts: 0,
  resumeAt: null,
  trigger: 'auto',
  queue: queues.first,
  nextAttemptAt: submission.createdAt,
  heldUntil: null,
  isInFlight: false,
  createdAt: submission.createdAt,
});

/** For a submission sent later than it was received: due now, with the given trigger and queue. A digest keeps its due time. */
export const sentNow = (
  delivery: Delivery,
  how: { readonly trigger: DeliveryTrigger; readonly queue: Queue },
  now: number,
): Delivery =>
  delivery.queue === digestQueue
    ? { ...delivery, id: newId(now), createdAt: now }
    : { ...delivery, id: newId(now), ...how, nextAttemptAt: now, createdAt: now };
