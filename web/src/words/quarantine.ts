/** The quarantine. */
import type { ReactNode } from 'react';
import { count, formatTime } from './format.js';
import { sentence } from './sentence.js';

// Details of an entry
export const caughtBy = (field: ReactNode, ip: ReactNode): ReactNode => sentence`filled in ${field} · ${ip}`;
export const filesNotStored = (n: number): string =>
  count(n, { one: '# file not stored', other: '# files not stored' });
export const filesDropped = (n: number): string =>
  count(n, {
    one: '# file came with it and was not stored.',
    other: '# files came with it and were not stored.',
  });
export const released = 'released';

// Bulk actions
export const releaseFromQuarantine = 'Release from quarantine';
export const releaseManyWarning =
  'They are accepted and delivered like any other submission. This cannot be undone.';
export const releaseMany = (n: number): string =>
  count(n, { one: 'Release # submission', other: 'Release # submissions' });
export const releasedMany = (n: number): string =>
  count(n, { one: '# submission released', other: '# submissions released' });
export const notReleasedMany = 'Not all were released';
export const deleteFromQuarantine = 'Delete from quarantine';
export const deleteManyWarning = 'They are deleted now instead of on expiry. This cannot be undone.';
export const deleteMany = (n: number): string =>
  count(n, { one: 'Delete # submission', other: 'Delete # submissions' });
export const deletedMany = (n: number): string =>
  count(n, { one: '# submission deleted', other: '# submissions deleted' });
export const notDeletedMany = 'Not all were deleted';
export const emptyQuarantine = 'Empty quarantine';
export const emptyAllWarning = 'Everything in quarantine is deleted, of all forms. This cannot be undone.';
export const emptyFormWarning = 'Everything in quarantine of this form is deleted. This cannot be undone.';
export const emptied = 'The quarantine was emptied';
export const notEmptied = 'The quarantine was not emptied';
export const releaseIt = 'Release';

// The list
export const releaseWithFilesWarning =
  'It becomes a submission and is delivered like any other: to webhooks and by e-mail. Its files were not stored. This cannot be undone.';
export const releaseWarning =
  'It becomes a submission and is delivered like any other: to webhooks and by e-mail. This cannot be undone.';
export const notReleased = 'It was not released';
export const deleteWarning = 'It is deleted now instead of on expiry. This cannot be undone.';
export const deleted = 'Deleted from quarantine';
export const notDeleted = 'It was not deleted';
export const noneWaitingHint =
  'Submissions caught by the honeypot, a hidden field in every snippet, stay here for 30 days so you can rescue a real message.';
export const noneWaiting = 'Nothing is waiting';
export const showOlder = 'Show older';
export const keyMove = 'move';
export const keyExpand = 'expand';
export const keyRelease = 'release';
export const keySelect = 'select';

// The page
export const quarantine = 'Quarantine';
export const pageDescription = (spam: ReactNode): ReactNode =>
  sentence`Submissions caught by the honeypot are not delivered. Review them and release anything that isn’t spam. What you mark as spam yourself is in ${spam}.`;
export const theSpamFolder = 'the Spam folder';

// An entry
export const noFieldsBeside = 'Only the hidden field was sent.';
export const sentFrom = (page: ReactNode): ReactNode => sentence`Sent from ${page}`;
export const sentBy = (program: ReactNode, ip: ReactNode): ReactNode => sentence`By ${program} at ${ip}`;
export const unnamedProgram = 'an unnamed program';
export const selectOf = (iso: string): string => `Select the submission of ${formatTime(iso)}`;
export const removedAt = (time: ReactNode): ReactNode => sentence`removed ${time}`;
export const openSubmission = 'Open submission';
export const releaseHint = 'Accept and deliver (r)';

// An entry on one line
export const noFields = 'No fields';
