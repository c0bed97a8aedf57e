/** /api/v1/projects */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { PageQuery } from '../../contract/paging.js';
import {
  CreateProject,
  PatchProject,
  type ProjectBody,
  ProjectCreated,
  ProjectFull,
  ProjectItem,
} from '../../contract/project.js';
import { nullableText } from '../../contract/shapes.js';
import type { FormService } from '../../domain/forms/service.js';
import type { ProjectInput, ProjectService } from '../../domain/projects/service.js';
import { isoTime } from '../../kernel/clock.js';
import { normaliseOriginPattern } from '../../kernel/hosts.js';
import { type Principal, secretFor } from '../../model/account.js';
import type { FormListItem } from '../../model/form.js';
import type { Project, ProjectListItem } from '../../model/project.js';
import type { Gate } from '../principal.js';
import { type Route, route } from '../route.js';
import { optionalPage, pageAnswer } from './paging.js';

export const hostList = (texts: readonly string[]): readonly string[] => [
  ...new Set(texts.flatMap((text) => normaliseOriginPattern(text) ?? [])),
];

/** From the wire; only what was sent is set. */
const toInput = (body: ProjectBody): ProjectInput => ({
  ...(body.name === undefined ? {} : { name: body.name.trim() }),
  ...(body.webhook_url === undefined ? {} : { webhookUrl: body.webhook_url }),
  ...(body.allowed_origins === undefined ? {} : { allowedOrigins: hostList(body.allowed_origins) }),
  ...(body.notify_emails === undefined ? {} : { notifyEmails: body.notify_emails }),
  ...(body.rate_limit_per_minute === undefined ? {} : { rateLimitPerMinute: body.rate_limit_per_minute }),
  ...(body.is_active === undefined ? {} : { isActive: body.is_active }),
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
  webhook_secret: secretFor(who, project.webhookSecret),
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

const ProjectPage = Type.Object({
  data: Type.Array(ProjectItem),
  next_cursor: Type.Optional(nullableText({})),
});
const ById = Type.Object({ id: Type.String() });

export function projectRoutes(
  app: FastifyInstance,
  { gate, projects, forms }: { gate: Gate; projects: ProjectService; forms: FormService },
): void {
  const add = <Caller>(definition: Omit<Route<Caller>, 'tag'>) =>
    route(app, { tag: 'Projects', ...definition });

  add({
    method: 'GET',
    path: '/projects',
    summary: 'List projects',
    query: PageQuery,
    answers: { 200: ProjectPage },
    caller: gate.reader,
    async handle({ who, request }) {
      const page = optionalPage(request.query as PageQuery);
      const { items, next } = pageAnswer(page, await projects.list(who, page), (item) => item.project.id);
      return { data: items.map(toItem), ...next };
    },
  });

  add({
    method: 'POST',
    path: '/projects',
    summary: 'Create a project',
    body: CreateProject,
    answers: { 201: ProjectCreated },
    errors: [403],
    caller: gate.writer,
    async handle({ who, request, reply }) {
      const body = request.body as ProjectBody & { name: string };
      const project = await projects.create(who, { ...toInput(body), name: body.name.trim() });
      return reply.status(201).send(toCreated(project));
    },
  });

  add({
    method: 'GET',
    path: '/projects/:id',
    summary: 'Get a project',
    params: ById,
    answers: { 200: ProjectFull },
    errors: [404],
    caller: gate.reader,
    async handle({ who, id }) {
      return toFull(who, await projects.get(who, id), await forms.list(who, id, null));
    },
  });

  add({
    method: 'PATCH',
    path: '/projects/:id',
    summary: 'Change a project',
    params: ById,
    body: PatchProject,
    answers: { 200: ProjectFull },
    errors: [404],
    caller: gate.writer,
    async handle({ who, id, request }) {
      const project = await projects.update(who, id, toInput(request.body as ProjectBody));
      return toFull(who, project, await forms.list(who, id, null));
    },
  });

  add({
    method: 'DELETE',
    path: '/projects/:id',
    summary: 'Delete a project with all its forms, submissions and files',
    params: ById,
    answers: { 204: Type.Null() },
    errors: [404],
    caller: gate.writer,
    async handle({ who, id, reply }) {
      await projects.delete(who, id);
      return reply.status(204).send();
    },
  });

  add({
    method: 'POST',
    path: '/projects/:id/webhook-secret',
    summary: 'Rotate the webhook secret; the old one keeps signing beside it for 24 hours',
    params: ById,
    answers: { 200: ProjectFull },
    errors: [404],
    caller: gate.writer,
    async handle({ who, id }) {
      return toFull(who, await projects.rotateSecret(who, id), await forms.list(who, id, null));
    },
  });
}
