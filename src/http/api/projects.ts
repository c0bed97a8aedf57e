/** /api/v1/projects */
import type { FastifyInstance } from 'fastify';
import { PageQuery } from '../../contract/paging.js';
import {
  CreateProject,
  PatchProject,
  type ProjectBody,
  ProjectCreated,
  ProjectFull,
  type ProjectItem,
  ProjectPage,
} from '../../contract/project.js';
import { byId } from '../../contract/shapes.js';
import type { FormService } from '../../domain/forms/service.js';
import type { ProjectInput, ProjectService } from '../../domain/projects/service.js';
import { isoTime } from '../../kernel/clock.js';
import { normaliseOriginPattern } from '../../kernel/hosts.js';
import { type Principal, secretFor } from '../../model/account.js';
import type { FormListItem } from '../../model/form.js';
import type { Project, ProjectListItem, ProjectSettings } from '../../model/project.js';
import type { Gate } from '../principal.js';
import { routesOf } from '../route.js';
import { optionalPage, pageOf } from './paging.js';
import { type Sent, sentOnly } from './sent.js';

export const hostList = (texts: readonly string[]): readonly string[] => [
  ...new Set(texts.flatMap((text) => normaliseOriginPattern(text) ?? [])),
];

/** Converts a request body. */
const toInput = (body: ProjectBody): ProjectInput =>
  sentOnly<Sent<ProjectBody, ProjectSettings>>({
    name: body.name?.trim(),
    webhookUrl: body.webhook_url,
    allowedOrigins: body.allowed_origins && hostList(body.allowed_origins),
    notifyEmails: body.notify_emails,
    rateLimitPerMinute: body.rate_limit_per_minute,
    isActive: body.is_active,
  });

const toCreated = (project: Project): ProjectCreated => ({
  id: project.id,
  name: project.name,
  slug: project.slug,
  is_active: project.isActive,
  created_at: isoTime(project.createdAt),
});

const toItem = ({ project, formsCount, submissionsCount }: ProjectListItem): ProjectItem => ({
  ...toCreated(project),
  webhook_url: project.webhookUrl,
  allowed_origins: [...project.allowedOrigins],
  forms_count: formsCount,
  submissions_count: submissionsCount,
});

const toFull = (who: Principal, project: Project, forms: readonly FormListItem[]): ProjectFull => ({
  ...toCreated(project),
  webhook_url: project.webhookUrl,
  webhook_secret: secretFor(who, project.id, project.webhookSecret),
  allowed_origins: [...project.allowedOrigins],
  rate_limit_per_minute: project.rateLimitPerMinute,
  notify_emails: [...project.notifyEmails],
  updated_at: isoTime(project.updatedAt),
  forms: forms.map(({ form }) => ({
    id: form.id,
    public_id: form.publicId,
    name: form.name,
    slug: form.slug,
    is_active: form.isActive,
  })),
});

const ById = byId('The project.');

export function projectRoutes(
  app: FastifyInstance,
  { gate, projects, forms }: { gate: Gate; projects: ProjectService; forms: FormService },
): void {
  const add = routesOf(app, 'Projects');
  const whole = async (who: Principal, project: Project): Promise<ProjectFull> =>
    toFull(who, project, await forms.list(who, project.id, null));

  add({
    method: 'GET',
    path: '/projects',
    operationId: 'listProjects',
    summary: 'List projects',
    query: PageQuery,
    responses: { 200: ProjectPage },
    ...gate.may('projects.read'),
    async handle({ who, query }) {
      const page = optionalPage(query);
      const { items, next } = pageOf(page, await projects.list(who, page), (item) => item.project.id);
      return { data: items.map(toItem), ...next };
    },
  });

  add({
    method: 'POST',
    path: '/projects',
    operationId: 'createProject',
    summary: 'Create a project',
    body: CreateProject,
    responses: { 201: ProjectCreated },
    ...gate.may('projects.create'),
    handle: async ({ who, body }) =>
      toCreated(await projects.create(who, { ...toInput(body), name: body.name.trim() })),
  });

  add({
    method: 'GET',
    path: '/projects/:id',
    operationId: 'getProject',
    summary: 'Get a project',
    params: ById,
    responses: { 200: ProjectFull },
    ...gate.may('projects.read'),
    handle: async ({ who, params }) => whole(who, await projects.get(who, params.id)),
  });

  add({
    method: 'PATCH',
    path: '/projects/:id',
    operationId: 'updateProject',
    summary: 'Change a project',
    params: ById,
    body: PatchProject,
    responses: { 200: ProjectFull },
    ...gate.may('projects.manage'),
    handle: async ({ who, params, body }) => whole(who, await projects.update(who, params.id, toInput(body))),
  });

  add({
    method: 'DELETE',
    path: '/projects/:id',
    operationId: 'deleteProject',
    summary: 'Delete a project with all its forms, submissions and files',
    params: ById,
    responses: { 204: null },
    ...gate.may('projects.manage'),
    handle: ({ who, params }) => projects.delete(who, params.id),
  });

  add({
    method: 'POST',
    path: '/projects/:id/webhook-secret',
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the webhook secret; the old one keeps signing beside it for 24 hours',
    params: ById,
    responses: { 200: ProjectFull },
    ...gate.may('projects.manage'),
    handle: async ({ who, params }) => whole(who, await projects.rotateSecret(who, params.id)),
  });
}
