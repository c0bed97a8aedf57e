/** Pure: which deliveries a submission causes, each with its body frozen. */
import type { KindName } from '../../contract/destination.js';
import { isSameUrl } from '../../kernel/hosts.js';
import { newId } from '../../kernel/ids.js';
import { type Delivery, type DeliveryTrigger, laneOf, type Queue, queues } from '../../model/delivery.js';
import { builtInEmail, builtInId, builtInWebhook, type Destination } from '../../model/destination.js';
import { type DestinationKinds, kindOf, type Prepared } from '../../ports/destination-kind.js';
import type { FormAndProject } from '../../ports/store.js';
import { type CompiledTemplate, type EventSource, type Links, SharedEvent } from './event.js';
import { type Filter, matches, parseFilter } from './filter.js';
import { parseDocument, parseText } from './template.js';

/** What planning needs beside the submission. */
export interface Planning {
  readonly kinds: DestinationKinds;
  readonly links: Links;
  /** Without a mail server no notification is queued: setting one up must not send those of the past. */
  readonly sendsMail: boolean;
}

/** A destination that gets the submissions of a form, read once for many of them. */
export interface Route {
  readonly destination: Destination;
  readonly filter: Filter | null;
  readonly template: CompiledTemplate | null;
}

export interface Routes {
  readonly all: readonly Route[];
  /** For copies that pages ask for: not in `all` when the form notifies nobody. */
  readonly notifications: Destination;
}

/**
 * What one submission may become. 200 webhooks with the largest submission took 260 MB of disk and 540 MB of memory, and
 * 200 destinations with 60 addresses each would send 12,000 mails.
 */
const maxPlannedChars = 32 * 1024 * 1024;
const maxDeliveries = 1_000;

export interface Plan {
  readonly deliveries: readonly Delivery[];
  /** The destinations whose filters it did not pass, or for which nothing was left of what a submission may become. */
  readonly skipped: readonly string[];
}

/** The active destinations of a form: its own and its project's, the built-in ones first. */
export function routesOf({ form, project }: FormAndProject, rows: readonly Destination[]): Routes {
  const stored = (id: string): Destination | null => rows.find((row) => row.id === id) ?? null;
  const formWebhook = builtInWebhook(form, stored(builtInId(form.id, 'webhook')));
  const projectWebhook = builtInWebhook(project, stored(builtInId(project.id, 'webhook')));
  // The same endpoint named twice gets the event once, however its address is spelt.
  const isNamedTwice =
    formWebhook?.isActive && projectWebhook && isSameUrl(formWebhook.config.url, projectWebhook.config.url);
  const notifications = builtInEmail(form, stored(builtInId(form.id, 'email')));
  const destinations = [
    formWebhook,
    isNamedTwice ? null : projectWebhook,
    notifications,
    builtInEmail(withoutAddresses(project, form.notifyEmails), stored(builtInId(project.id, 'email'))),
    ...rows.filter((row) => !row.builtIn),
  ];
  return {
    all: destinations.flatMap((one) => (one?.isActive && !isEmpty(one) ? [routeOf(one)] : [])),
    notifications,
  };
}

const isEmpty = ({ builtIn, kind, config }: Destination): boolean =>
  builtIn && kind === 'email' && config.to.length === 0;

/** Who is named twice, however it is spelt, gets one mail. */
function withoutAddresses<Owner extends { readonly notifyEmails: readonly string[] }>(
  owner: Owner,
  known: readonly string[],
): Owner {
  const taken = new Set(known.map((address) => address.toLowerCase()));
  return {
    ...owner,
    notifyEmails: owner.notifyEmails.filter((address) => {
      const spelling = address.toLowerCase();
      if (taken.has(spelling)) return false;
      taken.add(spelling);
      return true;
    }),
  };
}

export function routeOf(destination: Destination): Route {
  return {
    destination,
    filter: compiledFilter(destination.filter),
    template: compiledTemplate(destination),
  };
}

/**
 * What texts were compiled to. Settings are loaded every second, and the templates of 200 destinations take more than a
 * second to read; together they have at most 3.3 million characters.
 */
class Compiled<Value> {
  readonly #values = new Map<string, Value>();
  #chars = 0;

  get(text: string, compile: () => Value): Value {
    const known = this.#values.get(text);
    if (known !== undefined) return known;
    const value = compile();
    this.#values.set(text, value);
    this.#chars += text.length;
    for (const oldest of this.#values.keys()) {
      if (this.#chars <= maxCompiledChars) break;
      this.#values.delete(oldest);
      this.#chars -= oldest.length;
    }
    return value;
  }
}

const maxCompiledChars = 8 * 1024 * 1024;
const filters = new Compiled<Filter | null>();
const documents = new Compiled<CompiledTemplate | null>();
const texts = new Compiled<CompiledTemplate | null>();

const compiledFilter = (text: string | null): Filter | null =>
  text === null ? null : filters.get(text, () => readFilter(text));

/** Checked when it was saved: one that cannot be read lets nothing be lost. */
function readFilter(text: string): Filter | null {
  const parsed = parseFilter(JSON.parse(text));
  return 'filter' in parsed ? parsed.filter : null;
}

/** The others have a text. */
export const hasDocumentTemplate = (kind: KindName): boolean =>
  kind === 'webhook' || kind === 'google_sheets';

function compiledTemplate({ kind, template }: Destination): CompiledTemplate | null {
  if (template === null) return null;
  return hasDocumentTemplate(kind)
    ? documents.get(template, () => readDocument(template))
    : texts.get(template, () => readText(template));
}

function readDocument(template: string): CompiledTemplate | null {
  const parsed = parseDocument(JSON.parse(template));
  return 'template' in parsed ? { document: parsed.template, text: null } : null;
}

function readText(template: string): CompiledTemplate | null {
  const parsed = parseText(String(JSON.parse(template)));
  return 'template' in parsed ? { document: null, text: parsed.template } : null;
}

export function planDeliveries(
  source: EventSource & FormAndProject,
  { all, notifications }: Routes,
  { kinds, links, sendsMail }: Planning,
  copies: readonly string[] = [],
): Plan {
  if (all.length === 0 && copies.length === 0) return nothing;
  const event = new SharedEvent(source, 'submission.created', links);
  const deliveries: Delivery[] = [];
  const skipped: string[] = [];
  let room = maxPlannedChars;
  for (const { destination, filter, template } of all) {
    if (!sendsMail && destination.kind === 'email' && destination.builtIn) continue;
    if (filter && !matches(filter, event.payload, event.filterWork)) {
      skipped.push(destination.id);
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
    for (const url of newAddresses(copies, source))
      deliveries.push(deliveryOf(source, notifications, { address: url, body: '' }, kinds));
  }
  return { deliveries, skipped };
}

const nothing: Plan = { deliveries: [], skipped: [] };

const newAddresses = (copies: readonly string[], { form, project }: FormAndProject): readonly string[] =>
  withoutAddresses({ notifyEmails: copies }, [...form.notifyEmails, ...project.notifyEmails]).notifyEmails;

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

/** For a submission that is sent later than it came: at once, by another way than the first attempts. */
export const sentNow = (
  delivery: Delivery,
  how: { readonly trigger: DeliveryTrigger; readonly queue: Queue },
  now: number,
): Delivery => ({ ...delivery, id: newId(now), ...how, nextAttemptAt: now, createdAt: now });
