/** Signs out, after the user agreed to lose unsaved changes. */
import { whenSaved } from '../navigation.js';
import { useSignOut } from '../session.js';
import * as words from '../words/shell.js';
import { tellFailure } from './tell.js';

export function useSigningOut(): () => void {
  const signOut = useSignOut();
  return () =>
    whenSaved(() =>
      signOut.mutate(undefined, { onError: (error) => tellFailure(words.stillSignedIn, error) }),
    );
}
