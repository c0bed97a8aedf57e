/** Manages projects, within the limits of the plan. */
import type { Clock } from '../../kernel/clock.js';
import { isUuid, newId } from '../../kernel/ids.js';
import type { Principal } from '../../model/account.js';
import { readdressed } from '../../model/destination.js';
import { refuse } from '../../model/errors.js';
import { plans } from '../../model/plans.js';
import {
  type Project,
  type ProjectListItem,
  type ProjectSettings,
  secretOverlapMs,
} from '../../model/project.js';
import { freeSlug, slugOf } from '../../model/slug.js';
import type { Signals } from '../../ports/signals.js';
import type { BoundStore, Page, Store } from '../../ports/store.js';
import { record } from '../audit/record.js';
import { type AddressPolicy, refuseBadWebhookUrl } from '../webhooks/address-policy.js';
import { newWebhookSecret } from '../webhooks/secret.js';

const projectObject = ({ id, name }: Project) => ({ kind: 'project', id, name });

export type ProjectInput = Partial<ProjectSettings>;

export interface ProjectService {
  list(who: Principal, page: Page | null): Promise<readonly ProjectListItem[]>;
  get(who: Principal, id: string): Promise<Project>;
  create(who: Principal, input: ProjectInput & { name: string }): Promise<Project>;
  update(who: Principal, id: string, input: ProjectInput): Promise<Project>;
  delete(who: Principal, id: string): Promise<void>;
  rotateSecret(who: Principal, id: string): Promise<Project>;
}

export function createProjectService(deps: {
  store: Store;
  clock: Clock;
  signals: Signals;
  addressPolicy: AddressPolicy;
  defaultRateLimitPerMinute: number;
}): ProjectService {
  const { store, clock, signals } = deps;

  const getFrom = async (from: BoundStore, who: Principal, id: string): Promise<Project> => {
    const project = isUuid(id) ? await from.projects.find(who, id) : null;
    if (!project) throw refuse.projectNotFound();
    return project;
  };

  return {
    list: (who, page) => store.projects.list(who, page),
    get: (who, id) => getFrom(store, who, id),

    create(who, input) {
      refuseBadWebhookUrl(deps.addressPolicy, input.webhookUrl);
      // One transaction, so that two concurrent requests cannot both take the last place.
      return store.tx(async (tx) => {
        const { maxProjects } = plans[who.plan];
        if (maxProjects !== null && (await tx.projects.count(who.accountId)) >= maxProjects) {
          throw refuse.projectLimit();
        }
        const now = clock.now();
        const slug = slugOf(input.name);
        const project: Project = {
          webhookUrl: null,
          allowedOrigins: [],
          notifyEmails: [],
          rateLimitPerMinute: deps.defaultRateLimitPerMinute,
          isActive: true,
          ...input,
          id: newId(now),
          accountId: who.accountId,
          slug: freeSlug(slug, new Set(await tx.projects.slugs(who.accountId, slug))),
          webhookSecret: newWebhookSecret(),
          previousSecret: null,
          previousSecretUntil: null,
          createdAt: now,
          updatedAt: now,
        };
        await tx.projects.create(project);
        record(tx, who, { action: 'project.created', object: projectObject(project), after: project });
        return project;
      });
    },

    async update(who, id, input) {
      refuseBadWebhookUrl(deps.addressPolicy, input.webhookUrl);
      const updated = await store.tx(async (tx) => {
        const found = await getFrom(tx, who, id);
        const project: Project = { ...found, ...input, updatedAt: clock.now() };
        await tx.projects.update(id, project, project.updatedAt);
        for (const builtIn of readdressed(found, project)) await tx.destinations.startAfresh(builtIn);
        record(tx, who, {
          ...{ action: 'project.updated', object: projectObject(project) },
          ...{ before: found, after: project },
        });
        return project;
      });
      signals.publish({ kind: 'intake-changed' });
      return updated;
    },

    async delete(who, id) {
      await store.tx(async (tx) => {
        const project = await getFrom(tx, who, id);
        await tx.projects.markDeleted(id, clock.now());
        record(tx, who, { action: 'project.deleted', object: projectObject(project), before: project });
      });
      signals.publish({ kind: 'intake-changed' });
    },

    async rotateSecret(who, id) {
      const rotated = await store.tx(async (tx) => {
        const project = await getFrom(tx, who, id);
        const now = clock.now();
        const secrets = {
          webhookSecret: newWebhookSecret(),
          previousSecret: project.webhookSecret,
          previousSecretUntil: now + secretOverlapMs,
        };
        await tx.projects.setSecrets(id, secrets, now);
        const rotated = { ...project, ...secrets, updatedAt: now };
        record(tx, who, {
          ...{ action: 'project.secret_rotated', object: projectObject(project) },
          ...{ before: project, after: rotated },
        });
        return rotated;
      });
      signals.publish({ kind: 'intake-changed' });
      return rotated;
    },
  };
}
