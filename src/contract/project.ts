import { type Static, Type } from 'typebox';
import { emailList, exactly, id, instant, name, nullableText, originList, webhookUrl } from './shapes.js';

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

export const CreateProject = Type.Object(Type.Partial(Type.Object(settings)).properties, {
  additionalProperties: false,
  required: ['name'],
});
export const PatchProject = Type.Partial(Type.Object(settings), { additionalProperties: false });
export type ProjectBody = Static<typeof PatchProject>;

const url = nullableText({ description: 'Project-level webhook target; null when there is none.' });

export const ProjectCreated = exactly({
  id: id('The project.'),
  name: Type.String(),
  slug: Type.String(),
  is_active: Type.Boolean(),
  created_at: instant('When it was created.'),
});
export type ProjectCreated = Static<typeof ProjectCreated>;

export const ProjectItem = exactly({
  id: id('The project.'),
  name: Type.String(),
  slug: Type.String(),
  webhook_url: url,
  allowed_origins: Type.Array(Type.String()),
  is_active: Type.Boolean(),
  created_at: instant('When it was created.'),
  forms_count: Type.Integer(),
  submissions_count: Type.Integer(),
});
export type ProjectItem = Static<typeof ProjectItem>;

export const ProjectFull = exactly({
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
