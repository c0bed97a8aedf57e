/** The ids of the forms in the scope, without deleted ones. */
import type { Kysely } from 'kysely';
import type { TallyScope } from '../../../ports/store.js';
import { inReach } from '../reach.js';
import type { Schema } from '../schema.js';

export function formsIn(db: Kysely<Schema>, scope: TallyScope) {
  const forms = db.selectFrom('forms').select('forms.id').where('forms.deleted_at', 'is', null);
  switch (scope.kind) {
    case 'form':
      return forms.where('forms.id', '=', scope.formId);
    case 'project':
      return forms.where('forms.project_id', '=', scope.projectId);
    case 'account':
      return forms.innerJoin('projects', 'projects.id', 'forms.project_id').where(inReach(scope.reach));
  }
}
