/** Errors about labels, notes and views. */
import { entry } from './error-entry.js';

export const inboxErrors = {
  label_not_found: entry(
    'not_found',
    'Label not found',
    'The account has no label with this id.',
    'List the labels of the account.',
  ),
  label_exists: entry(
    'conflict',
    'A label with this name already exists',
    'Another label of the account has this name. Case does not matter.',
    'Choose another name.',
  ),
  too_many_labels: entry(
    'conflict',
    'An account can have at most {limit} labels',
    'The account has the maximum number of labels.',
    'Delete labels that are no longer used.',
  ),
  too_many_labels_on_submission: entry(
    'conflict',
    'A submission can have at most {limit} labels',
    'The submission would have more labels than allowed.',
    'Remove a label first.',
  ),
  note_not_found: entry(
    'not_found',
    'Note not found',
    'The account has no note with this id.',
    'Check the id.',
  ),
  not_the_author: entry(
    'forbidden',
    'Only the author can change this note',
    'Another user wrote the note.',
    'Ask the author, or use an API key.',
  ),
  too_many_notes: entry(
    'conflict',
    'A submission can have at most {limit} notes',
    'The submission has the maximum number of notes.',
    'Delete a note, or add to one.',
  ),
  view_not_found: entry(
    'not_found',
    'View not found',
    'The account has no view with this id.',
    'List the views of the account.',
  ),
  too_many_views: entry(
    'conflict',
    'An account can have at most {limit} views',
    'The account has the maximum number of views.',
    'Delete views that are no longer used.',
  ),
} as const;
