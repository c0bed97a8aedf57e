/** Forms: their settings and their public identity. */
import type { Clock } from '../../kernel/clock.js';
import { isUuid, newId, shortId } from '../../kernel/ids.js';
import { newToken } from '../../kernel/secrets.js';
import type { Principal } from '../../model/account.js';
import { builtInId } from '../../model/destination.js';
import { refuse } from '../../model/errors.js';
import { type Form, type FormListItem, type FormSettings, newFormDefaults } from '../../model/form.js';
import { freeSlug, slugOf } from '../../model/slug.js';
import type { Signals } from '../../ports/signals.js';
import type { BoundStore, Page, Store } from '../../ports/store.js';
import type { ProjectService } from '../projects/service.js';
import { type AddressPolicy, refuseBadWebhookUrl } from '../webhooks/address-policy.js';

/** 57 bits: too many to guess, short enough to read out. */
const publicIdLength = 12;
const serviceKeyPrefix = 'inlet_sandbox_';

export type FormInput = Partial<FormSettings>;

export interface FormService {
  /** By id or public id; throws when there is none. */
  get(who: Principal, idOrPublicId: string): Promise<FormListItem>;
  list(who: Principal, projectId: string, page: Page | null): Promise<readonly FormListItem[]>;
  create(who: Principal, projectId: string, input: FormInput & { name: string }): Promise<Form>;
  update(who: Principal, idOrPublicId: string, input: FormInput): Promise<FormListItem>;
  delete(who: Principal, idOrPublicId: string): Promise<void>;
}

export function createFormService(deps: {
  store: Store;
  clock: Clock;
  signals: Signals;
  projects: ProjectService;
  addressPolicy: AddressPolicy;
}): FormService {
  const { store, clock, signals, projects } = deps;

  const getFrom = async (from: BoundStore, who: Principal, idOrPublicId: string): Promise<FormListItem> => {
    const found = await from.forms.find(who.accountId, idOrPublicId);
    if (!found) throw refuse.formNotFound();
    return found;
  };

  return {
    get: (who, idOrPublicId) => getFrom(store, who, idOrPublicId),

    async list(who, projectId, page) {
      const project = await projects.get(who, projectId);
      return store.forms.list(project.id, page);
    },

    async create(who, projectId, input) {
      refuseBadWebhookUrl(deps.addressPolicy, input.webhookUrl);
      const form = await store.tx(async (tx) => {
        // Inside: a project that is being deleted meanwhile must not get a form that nobody would ever remove.
        const project = isUuid(projectId) ? await tx.projects.find(who.accountId, projectId) : null;
        if (!project) throw refuse.projectNotFound();
        const now = clock.now();
        const slug = slugOf(input.name);
        const made: Form = {
          ...newFormDefaults,
          sandboxApiKey: newToken(serviceKeyPrefix),
          ...input,
          id: newId(now),
          publicId: shortId(publicIdLength),
          projectId: project.id,
          slug: freeSlug(slug, new Set(await tx.forms.slugs(project.id, slug))),
          createdAt: now,
          updatedAt: now,
        };
        await tx.forms.create(made);
        return made;
      });
      signals.publish({ kind: 'intake-changed' });
      return form;
    },

    async update(who, idOrPublicId, input) {
      refuseBadWebhookUrl(deps.addressPolicy, input.webhookUrl);
      const updated = await store.tx(async (tx) => {
        const { form, submissionsCount } = await getFrom(tx, who, idOrPublicId);
        const changed: Form = { ...form, ...input, updatedAt: clock.now() };
        await tx.forms.update(form.id, changed, changed.updatedAt);
        // A new address is a new chance for a webhook that was disabled because it failed.
        if (changed.webhookUrl !== form.webhookUrl)
          await tx.destinations.enable(builtInId(form.id, 'webhook'));
        return { form: changed, submissionsCount };
      });
      signals.publish({ kind: 'intake-changed' });
      return updated;
    },

    async delete(who, idOrPublicId) {
      await store.tx(async (tx) => {
        const { form } = await getFrom(tx, who, idOrPublicId);
        await tx.forms.markDeleted(form.id, clock.now());
      });
      signals.publish({ kind: 'intake-changed' });
    },
  };
}
