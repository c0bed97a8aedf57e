/** Submissions for their owner: reading, listing, searching, deleting. */
import type { Clock } from '../../kernel/clock.js';
import { isUuid } from '../../kernel/ids.js';
import type { Principal } from '../../model/account.js';
import type { AuditObject } from '../../model/audit.js';
import { refuse } from '../../model/errors.js';
import type { StoredFile } from '../../model/file.js';
import type { OptIn } from '../../model/opt-in.js';
import type { SubmissionListing, SubmissionWithFiles } from '../../model/submission.js';
import type { BlobStore } from '../../ports/blobs.js';
import type { Signals } from '../../ports/signals.js';
import {
  type Page,
  type Store,
  StoreFull,
  StoreUnavailable,
  type SubmissionPage,
  type SubmissionScope,
} from '../../ports/store.js';
import { record } from '../audit/record.js';
import type { AuditTrail } from '../audit/trail.js';
import type { FormService } from '../forms/service.js';
import type { ProjectService } from '../projects/service.js';
import { listByFields, needsFields } from './field-list.js';
import type { LongReads } from './long-reads.js';
import { findNeighbours, type Neighbours } from './neighbours.js';

export type ListOwner = { readonly kind: 'form' | 'project'; readonly id: string } | null;

export interface SubmissionService {
  get(who: Principal, id: string): Promise<SubmissionWithFiles>;
  /** Returns null when it needed no confirmation. */
  optInOf(who: Principal, id: string): Promise<OptIn | null>;
  /** Lists a form, a project or, without an owner, the whole account. A page may be short, even empty, and not be the last. */
  list(who: Principal, owner: ListOwner, listing: SubmissionListing, page: Page): Promise<SubmissionPage>;
  /** The neighbours of a submission in such a list. */
  neighbours(who: Principal, id: string, owner: ListOwner, listing: SubmissionListing): Promise<Neighbours>;
  delete(who: Principal, id: string): Promise<void>;
  /** Deletes those that exist, with everything that belongs to them. Returns how many. */
  deleteSome(who: Principal, ids: readonly string[]): Promise<number>;
}

/** Enough for some ten thousand submissions: far more than background indexing ever lags behind. */
const maxIndexingMs = 10_000;

/** Common words occur in all accounts, and what is delivered, read or labelled is found by walking past what is not. */
const mayTakeLong = (scope: SubmissionScope, listing: SubmissionListing): boolean => {
  const { words, webhookState, read, labelId } = listing.filter;
  const isSearching = words.length > 0 || needsFields(listing);
  const isWalking = webhookState === 'delivered' || read !== null || labelId !== null;
  return isSearching || isWalking || scope.kind === 'projects';
};

const isIn = (scope: SubmissionScope, { formId, projectId }: SubmissionWithFiles): boolean => {
  if (scope.kind === 'form') return scope.formId === formId;
  return scope.kind === 'project' ? scope.projectId === projectId : scope.projectIds.includes(projectId);
};

const objectOf = (scope: SubmissionScope, accountId: string): AuditObject => {
  if (scope.kind === 'form') return { kind: 'form', id: scope.formId };
  return scope.kind === 'project'
    ? { kind: 'project', id: scope.projectId }
    : { kind: 'account', id: accountId };
};

export function createSubmissionService(deps: {
  store: Store;
  blobs: BlobStore;
  forms: FormService;
  projects: ProjectService;
  signals: Signals;
  clock: Clock;
  longReads: LongReads;
  trail: AuditTrail;
}): SubmissionService {
  const { store, blobs, forms, projects, signals, clock, longReads, trail } = deps;

  const get = async (who: Principal, id: string): Promise<SubmissionWithFiles> => {
    const submission = isUuid(id) ? await store.submissions.find(who, id) : null;
    if (!submission) throw refuse.submissionNotFound();
    return submission;
  };

  /**
   * The index lags behind the submissions, but a search must not miss what was accepted before it. Bounded, because under
   * constant load there is always one more step. A step that fails, such as on a submission to another tenant, is reported by
   * upkeep: what is indexed can still be searched.
   */
  const bringIndexUpToDate = async (): Promise<void> => {
    const endsAt = clock.now() + maxIndexingMs;
    try {
      while ((await store.indexStep()) && clock.now() < endsAt);
    } catch (error) {
      if (!(error instanceof StoreUnavailable || error instanceof StoreFull)) throw error;
    }
  };

  const scopeOf = async (who: Principal, owner: ListOwner): Promise<SubmissionScope> => {
    if (owner?.kind === 'form') return { kind: 'form', formId: (await forms.get(who, owner.id)).form.id };
    if (owner) return { kind: 'project', projectId: (await projects.get(who, owner.id)).id };
    const own = await store.projects.list(who, null);
    return { kind: 'projects', projectIds: own.map(({ project }) => project.id) };
  };

  const removeBytes = async (files: readonly StoredFile[]): Promise<void> => {
    if (files.length > 0) signals.publish({ kind: 'files-changed' });
    // The rows are deleted, so nothing refers to these bytes any more. Upkeep removes what a crash leaves behind.
    await Promise.all(files.map((file) => blobs.remove(file.blobKey)));
    await store.files.forgetBlobs(files.map((file) => file.id));
  };

  return {
    get,

    optInOf: (who, id) => store.optIns.find(who, id),

    async list(who, owner, listing, page) {
      const scope = await scopeOf(who, owner);
      if (scope.kind === 'projects' && scope.projectIds.length === 0) return { items: [], next: null };
      if (listing.filter.words.length > 0) await bringIndexUpToDate();
      const read = (): Promise<SubmissionPage> =>
        needsFields(listing)
          ? listByFields(store, who, scope, listing, page)
          : store.submissions.list(scope, listing.filter, page);
      const found = await (mayTakeLong(scope, listing) ? longReads(who.accountId, read) : read());
      await trail.viewed(who, 'submissions.listed', objectOf(scope, who.accountId));
      return found;
    },

    async neighbours(who, id, owner, listing) {
      const submission = await get(who, id);
      const scope = await scopeOf(who, owner);
      if (!isIn(scope, submission)) throw refuse.submissionNotFound();
      if (listing.filter.words.length > 0) await bringIndexUpToDate();
      const find = (): Promise<Neighbours> => findNeighbours(store, scope, listing, submission);
      return mayTakeLong(scope, listing) ? longReads(who.accountId, find) : find();
    },

    async delete(who, id) {
      const submission = await get(who, id);
      const { formId } = submission;
      const files = await store.tx(async (tx) => {
        record(tx, who, {
          ...{ action: 'submission.deleted', object: { kind: 'submission', id: submission.id } },
          before: { formId, receivedAt: submission.createdAt },
        });
        return tx.submissions.delete(submission.id, clock.now());
      });
      await removeBytes(files);
    },

    async deleteSome(who, ids) {
      const known = [...new Set(ids.filter(isUuid))];
      if (known.length === 0) return 0;
      const { deleted, files } = await store.tx(async (tx) => {
        const done = await tx.submissions.deleteSome(who, known, clock.now());
        const object = { kind: 'submissions', id: null };
        if (done.deleted > 0)
          record(tx, who, {
            ...{ action: 'submissions.deleted', object },
            after: { deleted: done.deleted, submissions: known },
          });
        return done;
      });
      await removeBytes(files);
      return deleted;
    },
  };
}
