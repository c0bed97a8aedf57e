/** Minimal entities of the store: every test specifies only what it is about. */
import { randomUUID } from 'node:crypto';
import { newId, shortId } from '#inlet/kernel/ids.js';
import type { Account, ApiKey, User } from '../../../src/model/account.js';
import { type Delivery, laneOf, mailOrigin, queues } from '../../../src/model/delivery.js';
import { builtInId } from '../../../src/model/destination.js';
import type { StoredFile } from '../../../src/model/file.js';
import { type Form, newFormDefaults } from '../../../src/model/form.js';
import type { Project } from '../../../src/model/project.js';
import type { IdempotentResult, Submission } from '../../../src/model/submission.js';
import type { QueueCycle } from '../../../src/ports/delivery-queue.js';
import type { NewSubmission, Store } from '../../../src/ports/store.js';

/** An instant far from any real clock: a store that used its own time would be noticed. */
export const epoch = Date.UTC(2031, 4, 6, 7, 8, 9, 10);
export const day = 24 * 60 * 60 * 1000;

let ticks = 0;
/** Strictly increasing, so that "oldest first" is unambiguous. */
export const nextInstant = (): number => {
  ticks += 1;
  return epoch + ticks;
};

export function anAccount(some: Partial<Account> = {}): Account {
  const createdAt = some.createdAt ?? nextInstant();
  return {
    id: newId(createdAt),
    name: 'Agency',
    plan: 'business',
    twoFactorsRequired: false,
    createdAt,
    ...some,
  };
}

export function aKey(accountId: string, some: Partial<ApiKey> = {}): ApiKey {
  const createdAt = nextInstant();
  return {
    id: newId(createdAt),
    accountId,
    name: 'Build',
    scope: 'full',
    prefix: 'inlet_abcd',
    createdAt,
    expiresAt: null,
    lastUsedAt: null,
    projectIds: null,
    ...some,
  };
}

export function aUser(accountId: string, some: Partial<User> = {}): User {
  const createdAt = nextInstant();
  const id = newId(createdAt);
  const email = `${randomUUID()}@example.com`;
  return { id, accountId, loginId: id, email, role: 'owner', projects: [], createdAt, ...some };
}

export function aProject(accountId: string, some: Partial<Project> = {}): Project {
  const createdAt = some.createdAt ?? nextInstant();
  return {
    id: newId(createdAt),
    accountId,
    name: 'Website',
    slug: `website-${randomUUID()}`,
    webhookUrl: null,
    webhookSecret: `whsec_${randomUUID()}`,
    previousSecret: null,
    previousSecretUntil: null,
    allowedOrigins: [],
    rateLimitPerMinute: 60,
    notifyEmails: [],
    isActive: true,
    createdAt,
    updatedAt: createdAt,
    ...some,
  };
}

export function aForm(projectId: string, some: Partial<Form> = {}): Form {
  const createdAt = some.createdAt ?? nextInstant();
  return {
    ...newFormDefaults,
    name: 'Contact',
    sandboxApiKey: null,
    id: newId(createdAt),
    publicId: shortId(12),
    projectId,
    slug: `contact-${randomUUID()}`,
    createdAt,
    updatedAt: createdAt,
    ...some,
  };
}

/** Where a submission goes. */
export interface Place {
  readonly accountId: string;
  readonly project: Project;
  readonly form: Form;
}

export interface EntryWish {
  readonly data?: string;
  readonly createdAt?: number;
  readonly files?: number;
  readonly deliveries?: number;
  readonly key?: string;
  readonly expiresAt?: number;
}

export function aFile(place: Place, submission: Submission, some: Partial<StoredFile> = {}): StoredFile {
  const id = newId(submission.createdAt);
  return {
    id,
    accountId: place.accountId,
    projectId: place.project.id,
    formId: place.form.id,
    submissionId: submission.id,
    fieldName: 'photo',
    filename: 'Größe.png',
    mimeType: 'image/png',
    category: 'image',
    sizeBytes: 1234,
    sha256: 'a'.repeat(64),
    blobKey: id,
    uploadedAt: submission.createdAt,
    deletedAt: null,
    ...some,
  };
}

export function aDelivery(place: Place, submission: Submission, index: number): Delivery {
  return {
    id: newId(submission.createdAt),
    submissionId: submission.id,
    formId: place.form.id,
    projectId: place.project.id,
    destinationId: builtInId(index === 0 ? place.form.id : place.project.id, 'webhook'),
    kind: 'webhook',
    target: index === 0 ? 'form' : 'project',
    lane: laneOf('https://example.com', `${index}`),
    url: `https://example.com/hook/${index}`,
    body: `{"z":${index},"a":1.0}`,
    state: 'pending',
    attempt: 0,
    extraAttempts: 0,
    resumeAt: null,
    trigger: 'auto',
    queue: queues.first,
    isInFlight: false,
    nextAttemptAt: submission.createdAt,
    heldUntil: null,
    createdAt: submission.createdAt,
  };
}

export function anEntry(place: Place, wish: EntryWish = {}): NewSubmission {
  const createdAt = wish.createdAt ?? nextInstant();
  const submission: Submission = {
    id: newId(createdAt),
    formId: place.form.id,
    projectId: place.project.id,
    data: wish.data ?? '{"name":"Ada"}',
    metadata: {
      ip: '192.0.2.7',
      userAgent: 'Browser/1.0',
      submittedFrom: 'https://example.com/contact',
      controlFields: null,
    },
    createdAt,
  };
  const idempotency: IdempotentResult | null =
    wish.key === undefined
      ? null
      : {
          formId: place.form.id,
          key: wish.key,
          bodyHash: 'b'.repeat(64),
          submissionId: submission.id,
          files: '[]',
          expiresAt: wish.expiresAt ?? createdAt + day,
        };
  return {
    submission,
    files: Array.from({ length: wish.files ?? 0 }, () => aFile(place, submission)),
    deliveries: Array.from({ length: wish.deliveries ?? 0 }, (_, i) => aDelivery(place, submission, i)),
    skipped: [],
    fields: [],
    maxSubmissions: null,
    optIn: null,
    idempotency,
  };
}

/** A mail about the submission, as the built-in destination of its form sends it. */
export const aMailOf = (
  { form, project }: Place,
  { submission }: Pick<NewSubmission, 'submission'>,
  some: Partial<Delivery> = {},
): Delivery => {
  const destinationId = builtInId(form.id, 'email');
  return {
    ...aDelivery({ accountId: '', project, form }, submission, 0),
    destinationId,
    kind: 'email',
    lane: laneOf(mailOrigin, destinationId),
    url: 'ada@example.com',
    body: '',
    ...some,
  };
};

export async function madeAccount(store: Store): Promise<Account> {
  const account = anAccount();
  await store.accounts.create(account);
  return account;
}

/** An account with one project and one form, all stored. */
export async function madePlace(
  store: Store,
  some: { account?: Account; project?: Project; form?: Partial<Form> } = {},
): Promise<Place> {
  const account = some.account ?? (await madeAccount(store));
  const project = some.project ?? aProject(account.id);
  if (!some.project) await store.projects.create(project);
  const form = aForm(project.id, some.form);
  await store.forms.create(form);
  return { accountId: account.id, project, form };
}

/** Stores one entry and returns it. */
export async function made(store: Store, place: Place, wish: EntryWish = {}): Promise<NewSubmission> {
  const entry = anEntry(place, wish);
  await store.commit([entry]);
  return entry;
}

/** Claims these deliveries. Anything else that is due in their lanes is put back unchanged. */
export async function claimed(
  { queue }: Store,
  deliveries: readonly Delivery[],
  lease: QueueCycle['lease'],
  now: number,
): Promise<void> {
  const lanes = new Set(deliveries.map(({ lane }) => lane));
  const heads = (await queue.heads()).filter(({ lane }) => lanes.has(lane));
  const picks = heads.map(({ lane, queue: which }) => ({ lane, queue: which, limit: 1_000_000 }));
  const { found } = await queue.runCycle({ records: [], releases: [], unconfirmed: [], picks, lease, now });
  const ids = new Set(deliveries.map(({ id }) => id));
  const releases = found
    .flatMap(({ due }) => due)
    .filter(({ id }) => !ids.has(id))
    .map(({ id, nextAttemptAt }) => ({
      deliveryId: id,
      token: lease.token,
      nextAttemptAt: nextAttemptAt ?? now,
      isCutOff: false,
    }));
  await queue.runCycle({ records: [], releases, unconfirmed: [], picks: [], lease, now });
}
