/** The unsaved state of the destination form, and the request body made from it. Pure. */
import type {
  CreateDestination,
  Destination,
  DigestSchedule,
  KindName,
  MailRoute,
  PatchDestination,
} from '../../wire.js';
import * as words from '../../words/destinations.js';
import { delaysOf, delaysText } from './delays.js';
import { draftOf, type FilterDraft, filterOf, noFilter, problemOf } from './filter-rows.js';
import { type KindField, lookOf } from './kinds.js';

export interface HeaderRow {
  readonly name: string;
  /** null: a value is stored, but is never returned. */
  readonly value: string | null;
}

/** Rows instead of a map, because a value may occur twice while it is being typed. */
export interface RouteDraft {
  readonly field: string;
  readonly rows: readonly { readonly value: string; readonly addresses: readonly string[] }[];
  readonly otherwise: readonly string[];
}

/** For a signing secret, '' leaves it unchanged and null returns to the project's secret. */
export type ConfigValue =
  | string
  | boolean
  | null
  | readonly string[]
  | readonly HeaderRow[]
  | DigestSchedule
  | RouteDraft;

/** A custom value in place of the default. The text is preserved while the switch is off. */
export interface OwnText {
  readonly isOwn: boolean;
  readonly text: string;
}

export interface DestinationDraft {
  readonly name: string;
  readonly config: Readonly<Record<string, ConfigValue>>;
  readonly filter: FilterDraft;
  readonly template: OwnText;
  readonly retry: OwnText;
}

/** By field name, as in the details of API errors. */
export type Faults = Readonly<Record<string, string>>;

const starters = {
  json: JSON.stringify(
    { message: words.starterMessage, id: '{{submission.id}}', fields: '{{fields}}' },
    null,
    2,
  ),
  text: words.starterMessage,
};
const starterDelays = '30 s, 5 min, 1 h, 6 h';

const shownRoute = ({ field, map, otherwise }: MailRoute): RouteDraft => ({
  field,
  rows: Object.entries(map).map(([value, addresses]) => ({ value, addresses })),
  otherwise,
});

const sentRoute = ({ field, rows, otherwise }: RouteDraft): MailRoute => ({
  field: field.trim(),
  map: Object.fromEntries(
    rows
      .filter(({ value }) => value.trim() !== '')
      .map(({ value, addresses }) => [value.trim(), [...addresses]]),
  ),
  otherwise: [...otherwise],
});

function shownValue(field: KindField, stored: unknown): ConfigValue {
  if (field.input === 'secret' || field.input === 'signing') return '';
  if (field.input === 'switch') return stored === true;
  if (field.input === 'addresses') return Array.isArray(stored) ? stored.map(String) : [];
  if (field.input === 'headers')
    return Object.entries(stored ?? {}).map(([name, value]) => ({
      name,
      value: typeof value === 'string' ? value : null,
    }));
  // Stored configs match the shape of their kind.
  if (field.input === 'digest') return (stored as DigestSchedule | null | undefined) ?? null;
  if (field.input === 'route') return stored ? shownRoute(stored as MailRoute) : null;
  if (typeof stored === 'string') return stored;
  if (field.input === 'reply-to') return 'visitor';
  return field.input === 'choice' ? (field.choices[0]?.value ?? '') : '';
}

export function draftFor(kind: KindName, stored: Destination | null): DestinationDraft {
  const { fields, title, template } = lookOf(kind);
  const own = stored?.template ?? null;
  const delays = stored?.retry?.delays ?? null;
  return {
    name: stored?.name ?? title,
    config: Object.fromEntries(
      fields.map((field) => [field.key, shownValue(field, stored?.config[field.key])]),
    ),
    filter: stored === null ? noFilter : draftOf(stored.filter),
    template: {
      isOwn: own !== null,
      text:
        own === null
          ? template === null
            ? ''
            : starters[template]
          : typeof own === 'string'
            ? own
            : JSON.stringify(own, null, 2),
    },
    retry: { isOwn: delays !== null, text: delays === null ? starterDelays : delaysText(delays) },
  };
}

export type TemplateResult = { readonly template: unknown } | { readonly problem: string };

export function templateOf(kind: KindName, { isOwn, text }: OwnText): TemplateResult {
  const form = lookOf(kind).template;
  if (!isOwn || form === null) return { template: null };
  if (form === 'text') return { template: text };
  try {
    return { template: JSON.parse(text) as unknown };
  } catch (error) {
    return { problem: words.notValidJson(error instanceof Error ? error.message : '') };
  }
}

/** Client-side validation before the request. */
export function faultsOf(kind: KindName, draft: DestinationDraft): Faults {
  const filter = problemOf(draft.filter);
  const template = templateOf(kind, draft.template);
  const delays = delaysOf(draft.retry.isOwn ? draft.retry.text : '');
  return {
    ...(draft.name.trim() === '' && { name: words.nameMissing }),
    ...(filter !== null && { filter }),
    ...('problem' in template && { template: template.problem }),
    ...('problem' in delays && { retry: delays.problem }),
  };
}

const sentValue = (field: KindField, value: ConfigValue | undefined): unknown => {
  if ((field.input === 'optional' || field.input === 'template') && value === '') return null;
  if (field.input === 'route') return value && sentRoute(value as RouteDraft);
  if (field.input !== 'headers') return typeof value === 'string' ? value.trim() : value;
  const rows = (value ?? []) as readonly HeaderRow[];
  return Object.fromEntries(
    rows.filter(({ name }) => name.trim() !== '').map(({ name, value: each }) => [name.trim(), each]),
  );
};

const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

/** As it would be saved. */
export const configOf = (kind: KindName, { config }: DestinationDraft): Record<string, unknown> =>
  Object.fromEntries(lookOf(kind).fields.map((field) => [field.key, sentValue(field, config[field.key])]));

/** Only what differs from `known`, so that settings this form does not show stay unchanged. */
function changesOf(kind: KindName, draft: DestinationDraft, known: DestinationDraft): PatchDestination {
  const fields = lookOf(kind).fields.filter(({ key }) => !isSame(draft.config[key], known.config[key]));
  const filter = filterOf(draft.filter);
  const template = templateOf(kind, draft.template);
  const delays = delaysOf(draft.retry.text);
  return {
    ...(draft.name !== known.name && { name: draft.name.trim() }),
    ...(fields.length > 0 && {
      config: Object.fromEntries(
        fields.map((field) => [field.key, sentValue(field, draft.config[field.key])]),
      ),
    }),
    ...(!isSame(draft.filter, known.filter) && 'filter' in filter && { filter: filter.filter }),
    ...(!isSame(draft.template, known.template) && 'template' in template && { template: template.template }),
    ...(!isSame(draft.retry, known.retry) &&
      'delays' in delays && { retry: draft.retry.isOwn ? { delays: delays.delays } : null }),
  };
}

export const patchOf = (draft: DestinationDraft, stored: Destination): PatchDestination =>
  changesOf(stored.kind, draft, draftFor(stored.kind, stored));

export function creationOf(kind: KindName, draft: DestinationDraft): CreateDestination {
  const { config = {}, ...rest } = changesOf(kind, draft, draftFor(kind, null));
  return { kind, ...rest, name: draft.name.trim(), config };
}
