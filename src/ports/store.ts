/**
 * The store: everything Inlet knows, durable.
 *
 * The contract, which `test/contracts/store/` runs against every adapter:
 * - A method that writes resolves only after its change is committed and synced to stable storage.
 * - A read that starts after a write resolved sees that write.
 * - `tx` runs its work in one transaction and passes it a store bound to it; using the outer store inside is a bug. If
 *   the work rejects, everything is rolled back. Transactions do not nest.
 * - Tenancy is part of the query: methods that take a `Reach` never find what lies outside of it.
 * - Only `purge` finds a deleted project or form.
 * - Adapters find or return null; the domain decides what "missing" means.
 * - Driver errors are reported as `StoreConflict`, `StoreFull` or `StoreUnavailable`; anything else is an internal error.
 */
import type { FormAlias } from '../model/alias.js';
import type { Delivery } from '../model/delivery.js';
import type { Destination } from '../model/destination.js';
import type { StoredFile } from '../model/file.js';
import type { Form, FormListItem, FormSettings } from '../model/form.js';
import type { SeenField } from '../model/observed-field.js';
import type { OptIn } from '../model/opt-in.js';
import type { PlanName } from '../model/plans.js';
import type { Project, ProjectListItem, ProjectSettings } from '../model/project.js';
import type { Quarantined } from '../model/quarantine.js';
import type { Reach } from '../model/reach.js';
import type {
  IdempotentResult,
  Submission,
  SubmissionFilter,
  SubmissionWithFiles,
} from '../model/submission.js';
import type { AccountStore, KeyStore, SessionStore, SetupStore, UserStore } from './accounts.js';
import type { AuditRecorder, AuditStore } from './audit.js';
import type { DeliveryStore } from './deliveries.js';
import type { DeliveryQueue } from './delivery-queue.js';
import type { DestinationStore } from './destinations.js';
import type { DigestStore } from './digests.js';
import type { FieldStore } from './fields.js';
import type { FileStore, VariantStore } from './files.js';
import type { IdentityProviderStore } from './identity-providers.js';
import type { InboxStore, LabelStore, NoteStore, ViewStore } from './inbox.js';
import type { OptInStore } from './opt-ins.js';
import type { ErasureStore, PersonStore } from './persons.js';
import type { ProcessRegistry } from './processes.js';
import type { PurgeStore } from './purge.js';
import type { ReplayStore } from './replays.js';
import type { Page, SubmissionScope } from './scopes.js';
import type { FactorStore, InvitationStore, LoginLinkStore } from './sign-in.js';
import type { MailCapStore, SuppressionStore } from './suppressions.js';
import type { TallyStore } from './tallies.js';

export type { OwnerScope, Page, SubmissionScope, TallyScope } from './scopes.js';

/** The change was rejected because of uniqueness, a reference or a limit; nothing was written. */
export class StoreConflict extends Error {
  override readonly name = 'StoreConflict';
  constructor(readonly rule: 'unique' | 'reference' | 'limit') {
    super(`The store refused the change: ${rule}`);
  }
}

/** There is no space left. Nothing was written; it may work again later. */
export class StoreFull extends Error {
  override readonly name = 'StoreFull';
}

/** The store cannot be reached or is broken. Whether the change was written is not known. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  /** The same call may succeed later without a change of settings. */
  readonly mayPass: boolean;

  constructor(message: string, options: ErrorOptions & { readonly mayPass?: boolean } = {}) {
    super(message, options);
    this.mayPass = options.mayPass ?? false;
  }
}

export interface ProjectStore {
  create(project: Project): Promise<void>;
  find(reach: Reach, id: string): Promise<Project | null>;
  /** By id, in any account; null when it is deleted. */
  load(id: string): Promise<Project | null>;
  count(accountId: string): Promise<number>;
  /** Oldest first. */
  list(reach: Reach, page: Page | null): Promise<readonly ProjectListItem[]>;
  slugs(accountId: string, prefix: string): Promise<readonly string[]>;
  update(id: string, settings: ProjectSettings, updatedAt: number): Promise<void>;
  setSecrets(
    id: string,
    secrets: Pick<Project, 'webhookSecret' | 'previousSecret' | 'previousSecretUntil'>,
    updatedAt: number,
  ): Promise<void>;
  /** The project and its forms are no longer found, and their aliases are free; their contents wait for `purge`. */
  markDeleted(id: string, deletedAt: number): Promise<void>;
}

export interface FormAndProject {
  readonly form: Form;
  readonly project: Project;
}

/** Everything that the submission endpoint needs, in one read. */
export interface IntakeForm extends FormAndProject {
  /** Rows of its and its project's destinations, active or not; built-in ones only if they have a row. */
  readonly destinations: readonly Destination[];
  readonly accountId: string;
  readonly plan: PlanName;
}

export interface FormStore {
  create(form: Form): Promise<void>;
  /** By id or public id. */
  find(reach: Reach, idOrPublicId: string): Promise<FormListItem | null>;
  /** By public id or alias, as spelled by `aliasOf`. */
  findForIntake(publicIdOrAlias: string): Promise<IntakeForm | null>;
  /** By id, in any account; null when it is deleted. */
  findWithProject(id: string): Promise<FormAndProject | null>;
  /** Oldest first. */
  list(projectId: string, page: Page | null, withArchived: boolean): Promise<readonly FormListItem[]>;
  slugs(projectId: string, prefix: string): Promise<readonly string[]>;
  update(id: string, settings: FormSettings, updatedAt: number): Promise<void>;
  /**
   * Moves the form with its destinations to that project, under that slug. What is committed from now on belongs to that
   * project, even if the writer read the form before the move. Earlier submissions follow in steps.
   */
  move(id: string, to: Pick<Form, 'projectId' | 'slug' | 'updatedAt'>): Promise<void>;
  /** Moves some submissions of a moved form to its project; false when nothing is left. */
  moveStep(): Promise<boolean>;
  /** Its aliases are free again. */
  markDeleted(id: string, deletedAt: number): Promise<void>;
}

export interface AliasStore {
  /**
   * `StoreConflict('unique')`: a form of the instance already has this alias, or has it as its id or public id, even if that
   * form is deleted. `StoreConflict('reference')`: the account has no such form.
   */
  add(reach: Reach, alias: FormAlias): Promise<void>;
  count(reach: Reach, formId: string): Promise<number>;
  /** Oldest first. */
  list(reach: Reach, formId: string, page: Page | null): Promise<readonly FormAlias[]>;
  /** Returns false when the form has no such alias. */
  remove(reach: Reach, formId: string, alias: string): Promise<boolean>;
}

/** One accepted request: all of it is committed, or nothing. */
export interface NewSubmission {
  readonly submission: Submission;
  readonly files: readonly StoredFile[];
  readonly deliveries: readonly Delivery[];
  /** The destinations whose filters it did not pass. */
  readonly skipped: readonly string[];
  /** Fields that the form did not have before, or that have changed. */
  readonly fields: readonly SeenField[];
  /** How many the form may have, including this one; null for any number. */
  readonly maxSubmissions: number | null;
  /** The confirmation it waits for, before which it is not counted; null when it needs none. */
  readonly optIn: OptIn | null;
  readonly idempotency: IdempotentResult | null;
}

/** What a bot sent, stored separately. Its response and idempotency key are like those of any submission. */
export interface NewQuarantined {
  readonly quarantined: Quarantined;
  readonly idempotency: IdempotentResult | null;
}

export type NewEntry = NewSubmission | NewQuarantined;

/** A past submission from another service: stored and counted like any other, but not as received, and sent nowhere. */
export interface NewImported {
  readonly imported: Submission;
  readonly files: readonly StoredFile[];
}

export interface SubmissionPage {
  readonly items: readonly SubmissionWithFiles[];
  readonly next: string | null;
}

export interface DataPage {
  readonly rows: readonly Pick<Submission, 'id' | 'data'>[];
  readonly next: string | null;
}

export interface SubmissionStore {
  find(reach: Reach, id: string): Promise<SubmissionWithFiles | null>;
  /** Those of the ids that belong to the account, in the order of `ids`. */
  findSome(reach: Reach, ids: readonly string[]): Promise<readonly SubmissionWithFiles[]>;
  /** Newest first, unless the filter says otherwise. Pass `next` as `after` for the following page; null on the last one. */
  list(scope: SubmissionScope, filter: SubmissionFilter, page: Page): Promise<SubmissionPage>;
  /**
   * Only the data, newest first, for callers that read all of it; ignores the filter's `words`. A page may be short or even
   * empty without being the last.
   */
  listData(scope: SubmissionScope, filter: SubmissionFilter, page: Page): Promise<DataPage>;
  /** Where the form's newest submissions since then came from, and how many from each; reads up to `most`. */
  sources(
    formId: string,
    since: number,
    most: number,
  ): Promise<readonly { readonly submittedFrom: string; readonly count: number }[]>;
  /** Those of the ids that exist in the form. */
  existing(formId: string, ids: readonly string[]): Promise<ReadonlySet<string>>;
  findIdempotent(formId: string, key: string): Promise<IdempotentResult | null>;
  /** Only if it had expired by then: a fresh one that another request has just stored stays. */
  dropExpiredIdempotent(formId: string, key: string, now: number): Promise<void>;
  /** Like `commit` for one entry, inside a transaction. */
  create(entry: NewSubmission): Promise<void>;
  /** Removes the submission with its deliveries and leaves tombstones of its files, which it returns. */
  delete(id: string, deletedAt: number): Promise<readonly StoredFile[]>;
  /** The same for those of the ids that belong to the account, in one transaction. */
  deleteSome(
    reach: Reach,
    ids: readonly string[],
    deletedAt: number,
  ): Promise<{ readonly deleted: number; readonly files: readonly StoredFile[] }>;
}

export interface QuarantineStore {
  find(reach: Reach, id: string): Promise<Quarantined | null>;
  /** Newest first; with `formId` null, of all forms of the account. */
  list(
    reach: Reach,
    formId: string | null,
    page: Page,
  ): Promise<{ readonly items: readonly Quarantined[]; readonly next: string | null }>;
  /** Returns false when another request has already removed it. */
  remove(id: string): Promise<boolean>;
  /** Removes those of the ids that belong to the account. Returns how many there were. */
  removeSome(reach: Reach, ids: readonly string[]): Promise<number>;
  /** Removes the oldest of the account, or of one of its forms, from before that time: at most `most`. Returns how many. */
  removeOldest(reach: Reach, formId: string | null, before: number, most: number): Promise<number>;
}

export interface ChallengeStore {
  /** Returns true only for the first caller that spends this challenge, however many try at once. Remembered until it expires. */
  spend(id: string, expiresAt: number): Promise<boolean>;
}

export interface BoundStore {
  readonly accounts: AccountStore;
  readonly keys: KeyStore;
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly setup: SetupStore;
  readonly invitations: InvitationStore;
  readonly loginLinks: LoginLinkStore;
  readonly factors: FactorStore;
  readonly projects: ProjectStore;
  readonly forms: FormStore;
  readonly aliases: AliasStore;
  readonly submissions: SubmissionStore;
  readonly fields: FieldStore;
  readonly inbox: InboxStore;
  readonly labels: LabelStore;
  readonly notes: NoteStore;
  readonly views: ViewStore;
  readonly quarantine: QuarantineStore;
  readonly optIns: OptInStore;
  readonly files: FileStore;
  readonly variants: VariantStore;
  readonly deliveries: DeliveryStore;
  readonly queue: DeliveryQueue;
  readonly digests: DigestStore;
  readonly destinations: DestinationStore;
  readonly replays: ReplayStore;
  readonly challenges: ChallengeStore;
  readonly identityProviders: IdentityProviderStore;
  readonly suppressions: SuppressionStore;
  readonly mailCaps: MailCapStore;
  readonly tallies: TallyStore;
  readonly persons: PersonStore;
  readonly erasures: ErasureStore;
  readonly processes: ProcessRegistry;
  readonly purge: PurgeStore;
  readonly audit: AuditStore;
}

/** The store inside a transaction: the audit log is written with the change, or not at all. */
export interface TransactionStore extends BoundStore, AuditRecorder {}

/** What waits to be sent. */
export interface PendingSends {
  /** Without mails. */
  readonly deliveries: number;
  readonly mails: number;
  /** Running ones. */
  readonly replays: number;
}

/**
 * How this process's epoch compares with the stored one. `entered`: ours was higher and is now stored, and what was pending
 * has been stopped. `behind`: the stored one is higher; this process can claim nothing.
 */
export type EpochEntry =
  | { readonly kind: 'current' }
  | { readonly kind: 'entered'; readonly held: PendingSends }
  | { readonly kind: 'behind'; readonly stored: number };

export interface Store extends BoundStore {
  tx<T>(work: (store: TransactionStore) => Promise<T>): Promise<T>;
  /**
   * Commits all entries in one transaction, or none. `StoreConflict('unique')`: one of the idempotency keys, or the id of
   * an imported one, is taken; `StoreConflict('reference')`: one of the forms is permanently deleted;
   * `StoreConflict('limit')`: one of the forms would have more than its `maxSubmissions`.
   */
  commit(entries: readonly (NewEntry | NewImported)[]): Promise<void>;
  /** Brings the search index up to date, a bounded step at a time; false when nothing is left to do. */
  indexStep(): Promise<boolean>;
  /** Whether sealed values in the store open with the secret it was given; the first secret is always right. */
  secretOpens(): Promise<boolean>;
  /** Resolves when the store can serve reads and writes now. */
  check(): Promise<void>;
  /** The engine, and how much space the data takes. */
  describe(): Promise<{ readonly engine: string; readonly sizeBytes: number }>;
  /** Reads everything and returns what is damaged; empty when nothing is. */
  verify(): Promise<readonly string[]>;
  pendingSends(): Promise<PendingSends>;
  /**
   * Stops everything that waits to be sent: deliveries and mails become failed for that reason, running replays are
   * cancelled. Deliveries can be resent manually. Returns how many there were.
   */
  holdSends(reason: string, at: number): Promise<PendingSends>;
  /**
   * Compares the epoch that this store was opened with to the stored one. If ours is higher, stops everything pending like
   * `holdSends` and stores ours, in one transaction: of several processes, exactly one does it. The queue, mails and replays
   * only give work to a store whose epoch is the stored one.
   */
  enterEpoch(reason: string, at: number): Promise<EpochEntry>;
  /** 0 when none was ever set. */
  storedEpoch(): Promise<number>;
  /** 0 when there was none although there are submissions; null when there was none and there is nothing to lose yet. */
  lastBackupAt(): Promise<number | null>;
  recordBackup(at: number): Promise<void>;
  /** A consistent copy of the whole store at `path`, made while it is in use. */
  backup(path: string, onProgress: (done: number, total: number) => void): Promise<void>;
  close(): Promise<void>;
}
