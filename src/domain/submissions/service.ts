/** Submissions for their owner: reading, listing, searching, deleting. */
import type { Clock } from '../../kernel/clock.js';
import { isUuid } from '../../kernel/ids.js';
import type { Principal } from '../../model/account.js';
import { refuse } from '../../model/errors.js';
import type { StoredFile } from '../../model/file.js';
import type { SubmissionFilter, SubmissionWithFiles } from '../../model/submission.js';
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
import type { FormService } from '../forms/service.js';
import type { ProjectService } from '../projects/service.js';
import type { LongReads } from './long-reads.js';

export interface SubmissionService {
  get(who: Principal, id: string): Promise<SubmissionWithFiles>;
  listByForm(who: Principal, formId: string, filter: SubmissionFilter, page: Page): Promise<SubmissionPage>;
  listByProject(
    who: Principal,
    projectId: string,
    filter: SubmissionFilter,
    page: Page,
  ): Promise<SubmissionPage>;
  delete(who: Principal, id: string): Promise<void>;
  /** Those of them that are there, each whole; returns how many that were. */
  deleteSome(who: Principal, ids: readonly string[]): Promise<number>;
}

/** Enough for some ten thousand submissions: far more than the background ever leaves behind. */
const maxIndexingMs = 10_000;

/** Common words are in everybody's submissions, and what is delivered or read is found by walking past what is not. */
const mayTakeLong = ({ words, webhookState, read, labelId }: SubmissionFilter): boolean =>
  words.length > 0 || webhookState === 'delivered' || read !== null || labelId !== null;

export function createSubmissionService(deps: {
  store: Store;
  blobs: BlobStore;
  forms: FormService;
  projects: ProjectService;
  signals: Signals;
  clock: Clock;
  longReads: LongReads;
}): SubmissionService {
  const { store, blobs, forms, projects, signals, clock, longReads } = deps;

  const get = async (who: Principal, id: string): Promise<SubmissionWithFiles> => {
    const submission = isUuid(id) ? await store.submissions.find(who.accountId, id) : null;
    if (!submission) throw refuse.submissionNotFound();
    return submission;
  };

  /**
   * The index is written behind the submissions; a search must not miss what was accepted before it. Bounded: under constant
   * load there is always one more step. One that fails, such as on what was sent to another tenant, is for the upkeep
   * to report: what is indexed can be searched all the same.
   */
  const bringIndexUpToDate = async (): Promise<void> => {
    const endsAt = clock.now() + maxIndexingMs;
    try {
      while ((await store.indexStep()) && clock.now() < endsAt);
    } catch (error) {
      if (!(error instanceof StoreUnavailable || error instanceof StoreFull)) throw error;
    }
  };

  const list = async (
    { accountId }: Principal,
    scope: SubmissionScope,
    filter: SubmissionFilter,
    page: Page,
  ): Promise<SubmissionPage> => {
    if (filter.words.length > 0) await bringIndexUpToDate();
    const read = (): Promise<SubmissionPage> => store.submissions.list(scope, filter, page);
    return mayTakeLong(filter) ? longReads(accountId, read) : read();
  };

  const removeBytes = async (files: readonly StoredFile[]): Promise<void> => {
    if (files.length > 0) signals.publish({ kind: 'files-changed' });
    // The rows are gone, so nothing points at these bytes any more; what a crash leaves here, upkeep removes.
    await Promise.all(files.map((file) => blobs.remove(file.blobKey)));
    await store.files.forgetBlobs(files.map((file) => file.id));
  };

  return {
    get,

    async listByForm(who, formId, filter, page) {
      const { form } = await forms.get(who, formId);
      return list(who, { kind: 'form', formId: form.id }, filter, page);
    },

    async listByProject(who, projectId, filter, page) {
      const project = await projects.get(who, projectId);
      return list(who, { kind: 'project', projectId: project.id }, filter, page);
    },

    async delete(who, id) {
      const submission = await get(who, id);
      await removeBytes(await store.submissions.delete(submission.id, clock.now()));
    },

    async deleteSome(who, ids) {
      const known = [...new Set(ids.filter(isUuid))];
      if (known.length === 0) return 0;
      const { deleted, files } = await store.submissions.deleteSome(who.accountId, known, clock.now());
      await removeBytes(files);
      return deleted;
    },
  };
}
