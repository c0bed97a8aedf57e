import { type Static, Type } from 'typebox';
import { id, instant, listOf, name, named, nullableText, shape } from './shapes.js';
import { SubmissionFilters } from './submission.js';

const owner = (what: string) =>
  nullableText({ maxLength: 64, description: `Of this ${what} only; null: not limited to one.` });
const settings = {
  name,
  form_id: owner('form'),
  project_id: owner('project'),
  query: SubmissionFilters,
  position: Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Views are listed by it.' }),
};
const optional = {
  ...Type.Partial(Type.Object(settings)).properties,
  // Named again: `Type.Optional` returns a copy without the name.
  query: named('SubmissionFilters', Type.Optional(SubmissionFilters)),
};

export const CreateView = shape('CreateView', { ...optional, name });
export type CreateView = Static<typeof CreateView>;
export const PatchView = shape('PatchView', optional);
export type PatchView = Static<typeof PatchView>;

export const View = shape('View', {
  id: id('The view.'),
  name: Type.String(),
  form_id: nullableText({ format: 'uuid', description: 'Null: not limited to one form.' }),
  project_id: nullableText({ format: 'uuid', description: 'Null: not limited to one project.' }),
  query: SubmissionFilters,
  position: Type.Integer(),
  created_at: instant('When it was created.'),
});
export type View = Static<typeof View>;
export const ViewList = named('ViewList', listOf(View));
export type ViewList = Static<typeof ViewList>;
