/** Forms: their settings and their public identity. */
import type { Clock } from '../../kernel/clock.js';
import { isUuid, newId, shortId } from '../../kernel/ids.js';
import { newToken } from '../../kernel/secrets.js';
import type { Principal } from '../../model/account.js';
import { type Destination, readdressed } from '../../model/destination.js';
import { refuse } from '../../model/errors.js';
import { type Form, type FormListItem, type FormSettings, newFormDefaults } from '../../model/form.js';
import type { Project } from '../../model/project.js';
import { freeSlug, slugOf } from '../../model/slug.js';
import type { Signals } from '../../ports/signals.js';
import type { BoundStore, Page, Store } from '../../ports/store.js';
import { record } from '../audit/record.js';
import { copiedDestination } from '../destinations/copied.js';
import { refuseBadRules } from '../fields/check-rules.js';
import { refuseBadOptIn } from '../opt-in/rules.js';
import { refuseBadTemplates } from '../planning/check-templates.js';
import type { ProjectService } from '../projects/service.js';
import { type AddressPolicy, refuseBadWebhookUrl } from '../webhooks/address-policy.js';

/** 57 bits: too many to guess, short enough to read out. */
const publicIdLength = 12;
const serviceKeyPrefix = 'inlet_sandbox_';
const copySuffix = ' (copy)';
const maxNameLength = 200;

const formObject = ({ id, name }: Form) => ({ kind: 'form', id, name });

export type FormInput = Partial<FormSettings>;

export interface Duplicated {
  readonly form: Form;
  readonly captchaTurnedOff: boolean;
  readonly secretsLeftOut: readonly (Pick<Destination, 'kind' | 'name'> & { readonly isCopied: boolean })[];
}

export interface FormService {
  /** By id or public id. Throws when there is none. */
  get(who: Principal, idOrPublicId: string): Promise<FormListItem>;
  list(
    who: Principal,
    projectId: string,
    page: Page | null,
    withArchived?: boolean,
  ): Promise<readonly FormListItem[]>;
  create(who: Principal, projectId: string, input: FormInput & { name: string }): Promise<Form>;
  /**
   * Copies the settings and destinations into a new form of the same project, under another name. Aliases, submissions and
   * write-only values are not copied.
   */
  duplicate(who: Principal, idOrPublicId: string, name: string | undefined): Promise<Duplicated>;
  /**
   * Moves the form to another project of the account. What it inherits from its project changes at once. Its submissions follow
   * in the background, and deliveries that wait for destinations of the old project still go there.
   */
  move(who: Principal, idOrPublicId: string, projectId: string): Promise<FormListItem>;
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

  const refuseBadInput = ({ webhookUrl, fields, autoresponder, doubleOptIn }: FormInput): void => {
    refuseBadWebhookUrl(deps.addressPolicy, webhookUrl);
    if (fields !== undefined) refuseBadRules(fields);
    if (autoresponder) refuseBadTemplates('autoresponder', autoresponder);
    if (doubleOptIn) refuseBadOptIn('double_opt_in', doubleOptIn);
  };

  const refuseNeverOpen = ({ opensAt, closesAt }: FormSettings): void => {
    if (opensAt !== null && closesAt !== null && opensAt >= closesAt)
      throw refuse.invalidBody([
        { path: 'opens_at', message: 'opens_at contradicts closes_at: it must be before it' },
      ]);
  };

  const getFrom = async (from: BoundStore, who: Principal, idOrPublicId: string): Promise<FormListItem> => {
    const found = await from.forms.find(who, idOrPublicId);
    if (!found) throw refuse.formNotFound();
    return found;
  };

  /** Inside the transaction: a project that is being deleted must not get a form that would never be removed. */
  const projectFrom = async (tx: BoundStore, who: Principal, id: string): Promise<Project> => {
    const project = isUuid(id) ? await tx.projects.find(who, id) : null;
    if (!project) throw refuse.projectNotFound();
    return project;
  };

  const createIn = async (tx: BoundStore, projectId: string, settings: FormSettings): Promise<Form> => {
    refuseNeverOpen(settings);
    const now = clock.now();
    const slug = slugOf(settings.name);
    const made: Form = {
      ...settings,
      id: newId(now),
      publicId: shortId(publicIdLength),
      projectId,
      slug: freeSlug(slug, new Set(await tx.forms.slugs(projectId, slug))),
      createdAt: now,
      updatedAt: now,
    };
    await tx.forms.create(made);
    return made;
  };

  /** Copies the destinations of the form. Returns those that could not be copied completely. */
  const copyDestinations = async (
    tx: BoundStore,
    who: Principal,
    from: Form,
    to: Form,
  ): Promise<Duplicated['secretsLeftOut']> => {
    const leftOut: Duplicated['secretsLeftOut'][number][] = [];
    for (const { health: _, ...original } of await tx.destinations.list(who, {
      kind: 'form',
      formId: from.id,
    })) {
      const { copy, isComplete } = copiedDestination(original, to, newId(clock.now()));
      if (copy?.builtIn) await tx.destinations.putBuiltIn(who, copy);
      else if (copy) await tx.destinations.create(who, copy);
      if (!isComplete) leftOut.push({ kind: original.kind, name: original.name, isCopied: copy !== null });
    }
    return leftOut;
  };

  return {
    get: (who, idOrPublicId) => getFrom(store, who, idOrPublicId),

    async list(who, projectId, page, withArchived = false) {
      const project = await projects.get(who, projectId);
      return store.forms.list(project.id, page, withArchived);
    },

    async create(who, projectId, input) {
      refuseBadInput(input);
      const form = await store.tx(async (tx) => {
        const project = await projectFrom(tx, who, projectId);
        const settings = { ...newFormDefaults, sandboxApiKey: newToken(serviceKeyPrefix), ...input };
        const made = await createIn(tx, project.id, settings);
        record(tx, who, { action: 'form.created', object: formObject(made), after: made });
        return made;
      });
      signals.publish({ kind: 'intake-changed' });
      return form;
    },

    async duplicate(who, idOrPublicId, name) {
      const duplicated = await store.tx(async (tx) => {
        const { form } = await getFrom(tx, who, idOrPublicId);
        const captchaTurnedOff = form.captchaEnabled && form.captchaProvider !== 'altcha';
        const made = await createIn(tx, form.projectId, {
          ...form,
          name: name ?? `${form.name.slice(0, maxNameLength - copySuffix.length)}${copySuffix}`,
          isArchived: false,
          captchaEnabled: form.captchaEnabled && !captchaTurnedOff,
          captchaSecretKey: null,
          sandboxApiKey: newToken(serviceKeyPrefix),
        });
        const after = { name: made.name, duplicateOf: form.id };
        record(tx, who, { action: 'form.duplicated', object: formObject(made), after });
        return {
          form: made,
          captchaTurnedOff,
          secretsLeftOut: await copyDestinations(tx, who, form, made),
        };
      });
      signals.publish({ kind: 'intake-changed' });
      return duplicated;
    },

    async move(who, idOrPublicId, projectId) {
      const moved = await store.tx(async (tx) => {
        const { form, submissionsCount } = await getFrom(tx, who, idOrPublicId);
        const project = await projectFrom(tx, who, projectId);
        if (project.id === form.projectId)
          throw refuse.invalidBody([{ path: 'project_id', message: 'is the project that the form is in' }]);
        const slug = freeSlug(form.slug, new Set(await tx.forms.slugs(project.id, form.slug)));
        const to = { projectId: project.id, slug, updatedAt: clock.now() };
        await tx.forms.move(form.id, to);
        const moved = { ...form, ...to };
        record(tx, who, { action: 'form.moved', object: formObject(form), before: form, after: moved });
        return { form: moved, submissionsCount };
      });
      signals.publish({ kind: 'intake-changed' });
      return moved;
    },

    async update(who, idOrPublicId, input) {
      refuseBadInput(input);
      const updated = await store.tx(async (tx) => {
        const { form, submissionsCount } = await getFrom(tx, who, idOrPublicId);
        const changed: Form = { ...form, ...input, updatedAt: clock.now() };
        refuseNeverOpen(changed);
        await tx.forms.update(form.id, changed, changed.updatedAt);
        for (const id of readdressed(form, changed)) await tx.destinations.startAfresh(id);
        record(tx, who, {
          action: 'form.updated',
          object: formObject(changed),
          before: form,
          after: changed,
        });
        return { form: changed, submissionsCount };
      });
      signals.publish({ kind: 'intake-changed' });
      return updated;
    },

    async delete(who, idOrPublicId) {
      await store.tx(async (tx) => {
        const { form } = await getFrom(tx, who, idOrPublicId);
        await tx.forms.markDeleted(form.id, clock.now());
        record(tx, who, { action: 'form.deleted', object: formObject(form), before: form });
      });
      signals.publish({ kind: 'intake-changed' });
    },
  };
}
