/** Short messages in the corner of the page. */
import { notifications } from '@mantine/notifications';
import { ApiError, wordsOf } from '../api.js';
import { DocumentLink, errorPlace } from '../help/document-link.js';
import * as common from '../words/common.js';
import { shownCharacters } from './hidden-characters.js';

export const tellDone = (message: string): void => {
  notifications.show({ message: shownCharacters(message), color: 'accent' });
};

/** What failed, in a few words ("The form was not deleted"), and why. */
export const tellFailure = (title: string, error: unknown): void => {
  const code = error instanceof ApiError ? error.code : '';
  const message = (
    <>
      <div>{shownCharacters(wordsOf(error))}</div>
      {code !== '' && <DocumentLink place={errorPlace(code)}>{common.aboutThisError}</DocumentLink>}
    </>
  );
  notifications.show({ title, message, color: 'red', autoClose: 10_000 });
};
