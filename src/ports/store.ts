/**
 * The store: everything Inlet knows, durable.
 *
 * The contract, which `test/contracts/store/` runs against every adapter:
 * - A method that writes resolves only after its change is committed and synced to stable storage.
 * - A read that starts after a write resolved sees that write.
 * - `tx` runs its work in one transaction and hands over a store bound to it: using the outer store inside is a
 *   mistake. The work's rejection rolls everything back. Transactions do not nest.
 * - Tenancy is part of the query: methods that take a `Reach` never find what lies outside of it.
 * - A project or form that was deleted is found by nothing but `purge`.
 * - `get…` does not exist here: adapters find, the domain decides what "missing" means.
 * - Driver faults arrive as `StoreConflict`, `StoreFull` or `StoreUnavailable`; anything else is an internal error.
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

/** A rule of uniqueness, reference or number refused the change; nothing was written. */
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
  /** The same call may succeed later without anybody changing a setting. */
  readonly mayPass: boolean;

  constructor(message: string, options: ErrorOptions & { readonly mayPass?: boolean } = {}) {
    super(message, options);
    this.mayPass = options.mayPass ?? false;
  }
}

export interface ProjectStore {
  create(project: Project): Promise<void>;
  find(reach: Reach, id: string): Promise<Project | null>;
  /** By its id, whosever it is; null: it is deleted. */
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
  /** The project and its forms are found no more, and their aliases are free; their contents wait for `purge`. */
  markDeleted(id: string, deletedAt: number): Promise<void>;
}

/** All that the submission endpoint must know, in one read. */
export interface FormAndProject {
  readonly form: Form;
  readonly project: Project;
}

export interface IntakeForm extends FormAndProject {
  /** Rows of its destinations and its project's, active or not; those of built-in ones if they have any. */
  readonly destinations: readonly Destination[];
  readonly accountId: string;
  readonly plan: PlanName;
}

export interface FormStore {
  create(form: Form): Promise<void>;
  /** By id or public id. */
  find(reach: Reach, idOrPublicId: string): Promise<FormListItem | null>;
  /** By public id or alias, in the spelling of `aliasOf`. */
  findForIntake(publicIdOrAlias: string): Promise<IntakeForm | null>;
  /** By its id, whosever it is; null: it is deleted. */
  findWithProject(id: string): Promise<FormAndProject | null>;
  /** Oldest first. */
  list(projectId: string, page: Page | null, withArchived: boolean): Promise<readonly FormListItem[]>;
  slugs(projectId: string, prefix: string): Promise<readonly string[]>;
  update(id: string, settings: FormSettings, updatedAt: number): Promise<void>;
  /**
   * Into that project, under that slug, with its destinations. What is committed from now on belongs to that project, whatever the
   * one who commits has read before; submissions of before follow in steps.
   */
  move(id: string, to: Pick<Form, 'projectId' | 'slug' | 'updatedAt'>): Promise<void>;
  /** Takes some submissions of a moved form to its project; false when nothing is left. */
  moveStep(): Promise<boolean>;
  /** Its aliases are free again. */
  markDeleted(id: string, deletedAt: number): Promise<void>;
}

export interface AliasStore {
  /**
   * `StoreConflict('unique')`: a form of the instance has this alias, or has it as its id or public id, even if that form
   * is deleted. `StoreConflict('reference')`: the account has no such form.
   */
  add(reach: Reach, alias: FormAlias): Promise<void>;
  count(reach: Reach, formId: string): Promise<number>;
  /** Oldest first. */
  list(reach: Reach, formId: string, page: Page | null): Promise<readonly FormAlias[]>;
  /** False: the form has no such alias. */
  remove(reach: Reach, formId: string, alias: string): Promise<boolean>;
}

/** One accepted request: all of it is committed, or nothing. */
export interface NewSubmission {
  readonly submission: Submission;
  readonly files: readonly StoredFile[];
  readonly deliveries: readonly Delivery[];
  /** The destinations whose filters it did not pass. */
  readonly skipped: readonly string[];
  /** Those that the form did not have before, or not like this. */
  readonly fields: readonly SeenField[];
  /** How many the form may have with this one; null: any number. */
  readonly maxSubmissions: number | null;
  /** It waits for this confirmation, and does not count before; null: it needs none. */
  readonly optIn: OptIn | null;
  readonly idempotency: IdempotentResult | null;
}

/** What a bot sent, stored apart; its response and idempotency key are like those of any submission. */
export interface NewQuarantined {
  readonly quarantined: Quarantined;
  readonly idempotency: IdempotentResult | null;
}

export type NewEntry = NewSubmission | NewQuarantined;

/** A submission of the past, from elsewhere: stored and counted like all others, but not as received, and sent nowhere. */
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
  /** Those of the ids that are the account's, in the order of the ids. */
  findSome(reach: Reach, ids: readonly string[]): Promise<readonly SubmissionWithFiles[]>;
  /** Newest first, unless the filter says otherwise. `next` is what to hand over as `after` for the following page; null on the last one. */
  list(scope: SubmissionScope, filter: SubmissionFilter, page: Page): Promise<SubmissionPage>;
  /**
   * The data alone, newest first, for those who read all of it; without regard to words. A page may be short, even empty, and
   * not be the last.
   */
  listData(scope: SubmissionScope, filter: SubmissionFilter, page: Page): Promise<DataPage>;
  /** Where the form's newest submissions since then came from, and how many from each; so many are looked at. */
  sources(
    formId: string,
    since: number,
    most: number,
  ): Promise<readonly { readonly submittedFrom: string; readonly count: number }[]>;
  /** Those of the ids that the form has. */
  existing(formId: string, ids: readonly string[]): Promise<ReadonlySet<string>>;
  findIdempotent(formId: string, key: string): Promise<IdempotentResult | null>;
  /** Only if it had expired by then: a fresh one that somebody else just stored stays. */
  dropExpiredIdempotent(formId: string, key: string, now: number): Promise<void>;
  /** As `commit` does for one, inside a transaction. */
  create(entry: NewSubmission): Promise<void>;
  /** Removes the submission with its deliveries and leaves tombstones of its files, which it returns. */
  delete(id: string, deletedAt: number): Promise<readonly StoredFile[]>;
  /** The same with those of the ids that are the account's, in one transaction. */
  deleteSome(
    reach: Reach,
    ids: readonly string[],
    deletedAt: number,
  ): Promise<{ readonly deleted: number; readonly files: readonly StoredFile[] }>;
}

export interface QuarantineStore {
  find(reach: Reach, id: string): Promise<Quarantined | null>;
  /** Newest first; `formId` null: of all forms of the account. */
  list(
    reach: Reach,
    formId: string | null,
    page: Page,
  ): Promise<{ readonly items: readonly Quarantined[]; readonly next: string | null }>;
  /** False: it is gone, because somebody else was faster. */
  remove(id: string): Promise<boolean>;
  /** Those of the ids that are the account's; tells how many there were. */
  removeSome(reach: Reach, ids: readonly string[]): Promise<number>;
  /** The oldest of the account, or of one of its forms, that came before that time: at most so many. Tells how many. */
  removeOldest(reach: Reach, formId: string | null, before: number, most: number): Promise<number>;
}

export interface ChallengeStore {
  /** True for the first who spends this challenge, however many try at the same moment; remembered until it expires. */
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

/** What the work of a transaction is given: the audit log is written with the change, or not at all. */
export interface TransactionStore extends BoundStore, AuditRecorder {}

/** What waits to be sent. */
export interface PendingSends {
  /** Without mails. */
  readonly deliveries: number;
  readonly mails: number;
  /** Those that run. */
  readonly replays: number;
}

/**
 * How this process's epoch compares with the stored one. `entered`: ours was higher, is stored now, and what was pending is
 * held. `behind`: the stored one is higher; this process can claim nothing.
 */
export type EpochEntry =
  | { readonly kind: 'current' }
  | { readonly kind: 'entered'; readonly held: PendingSends }
  | { readonly kind: 'behind'; readonly stored: number };

export interface Store extends BoundStore {
  tx<T>(work: (store: TransactionStore) => Promise<T>): Promise<T>;
  /**
   * Commits all entries in one transaction, or none. `StoreConflict('unique')`: one of the idempotency keys, or the id of
   * an imported one, is taken; `StoreConflict('reference')`: one of the forms is gone for good;
   * `StoreConflict('limit')`: one of the forms would have more than its `maxSubmissions`.
   */
  commit(entries: readonly (NewEntry | NewImported)[]): Promise<void>;
  /** Brings the search index up to date, a bounded step at a time; false when nothing is left to do. */
  indexStep(): Promise<boolean>;
  /** Whether what is sealed in the store opens with the secret it was given; the first secret is always right. */
  secretOpens(): Promise<boolean>;
  /** Resolves when the store can serve reads and writes now. */
  check(): Promise<void>;
  /** What it is, and how much space it takes. */
  describe(): Promise<{ readonly engine: string; readonly sizeBytes: number }>;
  /** Reads everything and says what is damaged; empty when nothing is. */
  verify(): Promise<readonly string[]>;
  pendingSends(): Promise<PendingSends>;
  /**
   * Nothing that waits is sent any more: deliveries and mails become failed for that reason, running replays are
   * cancelled. Deliveries can be sent again by hand. Tells how many there were.
   */
  holdSends(reason: string, at: number): Promise<PendingSends>;
  /**
   * Compares the epoch that this store was opened with with the stored one. If ours is higher, everything pending is held
   * as `holdSends` does, and ours is stored, in one transaction: of several processes exactly one does it. The queue, mails
   * and replays give work only to a store whose epoch is the stored one.
   */
  enterEpoch(reason: string, at: number): Promise<EpochEntry>;
  /** 0: none was ever set. */
  storedEpoch(): Promise<number>;
  /** 0: never, although there are submissions. null: never, and there is nothing to lose yet. */
  lastBackupAt(): Promise<number | null>;
  recordBackup(at: number): Promise<void>;
  /** A consistent copy of the whole store at `path`, made while it is in use. */
  backup(path: string, onProgress: (done: number, total: number) => void): Promise<void>;
  close(): Promise<void>;
}
