/** Short messages at the corner of the page. */
import { notifications } from '@mantine/notifications';
import { wordsOf } from '../api.js';
import { shownCharacters } from './hidden-characters.js';

export const tellDone = (message: string): void => {
  notifications.show({ message: shownCharacters(message), color: 'accent' });
};

/** What failed, in a few words ("The form was not deleted"), and why. */
export const tellFailure = (title: string, error: unknown): void => {
  notifications.show({ title, message: shownCharacters(wordsOf(error)), color: 'red', autoClose: 10_000 });
};
