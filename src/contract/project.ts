import { type Static, Type } from 'typebox';
import {
  emailList,
  exactly,
  id,
  instant,
  maybePageOf,
  name,
  named,
  nullableText,
  originList,
  shape,
  webhookUrl,
} from './shapes.js';

const settings = {
  name,
  webhook_url: webhookUrl,
  allowed_origins: originList,
  notify_emails: emailList,
  rate_limit_per_minute: Type.Integer({
    minimum: 1,
    maximum: 10_000_000,
    description: 'Submissions a minute per client address, over all forms of the project.',
  }),
  is_active: Type.Boolean(),
};

const optional = Type.Partial(Type.Object(settings)).properties;
export const CreateProject = shape('CreateProject', { ...optional, name });
export const PatchProject = shape('PatchProject', optional);
export type ProjectBody = Static<typeof PatchProject>;

const url = nullableText({ description: 'Project-level webhook target; null when there is none.' });

export const ProjectCreated = shape('ProjectCreated', {
  id: id('The project.'),
  name: Type.String(),
  slug: Type.String(),
  is_active: Type.Boolean(),
  created_at: instant('When it was created.'),
});
export type ProjectCreated = Static<typeof ProjectCreated>;

export const ProjectItem = shape('ProjectItem', {
  id: id('The project.'),
  name: Type.String(),
  slug: Type.String(),
  webhook_url: url,
  allowed_origins: Type.Array(Type.String()),
  is_active: Type.Boolean(),
  created_at: instant('When it was created.'),
  forms_count: Type.Integer({ description: 'Without archived forms.' }),
  submissions_count: Type.Integer({ description: 'Also of archived forms.' }),
});
export type ProjectItem = Static<typeof ProjectItem>;
export const ProjectPage = named('ProjectPage', maybePageOf(ProjectItem));
export type ProjectPage = Static<typeof ProjectPage>;

export const ProjectFull = shape('ProjectFull', {
  id: id('The project.'),
  name: Type.String(),
  slug: Type.String(),
  webhook_url: url,
  webhook_secret: nullableText({
    description: 'Signs webhook requests; its UTF-8 bytes are the key. Null for a read-only API key.',
  }),
  allowed_origins: Type.Array(Type.String()),
  rate_limit_per_minute: Type.Integer(),
  notify_emails: Type.Array(Type.String()),
  is_active: Type.Boolean(),
  created_at: instant('When it was created.'),
  updated_at: instant('When its settings last changed.'),
  forms: Type.Array(
    exactly({
      id: id('The form.'),
      public_id: Type.String(),
      name: Type.String(),
      slug: Type.String(),
      is_active: Type.Boolean(),
    }),
  ),
});
export type ProjectFull = Static<typeof ProjectFull>;
