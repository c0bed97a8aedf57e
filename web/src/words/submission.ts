/** A submission: fields, files, notes and deliveries. */
import type { ReactNode } from 'react';
import { count, formatBytes, formatDuration, formatList, formatNumber } from './format.js';
import { sentence } from './sentence.js';

// Phases of an attempt
export const phaseDns = (ms: number): string => `DNS ${formatDuration(ms)}`;
export const phaseConnect = (ms: number): string => `connect ${formatDuration(ms)}`;
export const phaseFirstByte = (ms: number): string => `first byte ${formatDuration(ms)}`;
export const phaseTotal = (ms: number): string => `total ${formatDuration(ms)}`;
export const sentTo = (address: string): string => `to ${address}`;

// Attempts
export const attempt = (number: number, time: ReactNode): ReactNode => sentence`Attempt ${number} · ${time}`;
export const attemptByHand = (number: number, time: ReactNode): ReactNode =>
  sentence`Attempt ${number}, by hand · ${time}`;
export const attemptInReplay = (number: number, time: ReactNode): ReactNode =>
  sentence`Attempt ${number}, in a replay · ${time}`;
export const responseBody = (bytes: number): string => `Response body (first ${formatBytes(bytes)})`;
export const showEarlier = (n: number): string => `Show ${formatNumber(n)} earlier`;
export const ofTheProject = 'of the project';

// Position and marks
export const placeOf = (place: number, all: number): string =>
  `${formatNumber(place)} of ${formatNumber(all)}`;
export const edited = 'edited';

// Request and response of an attempt
export const request = 'Request';
export const copyAsCurl = 'Copy as curl';
export const requestHeaders = 'Request headers';
export const requestBody = (bytes: number): string => `Request body (${formatBytes(bytes)})`;
export const beginningAsSent = 'The beginning, as sent';
export const asSent = 'As sent';
export const requestNotLoaded = 'The request could not be loaded.';
export const loading = 'Loading…';
export const responseStatus = (status: number | null): string =>
  status === null ? 'Response' : `Response ${status}`;
export const responseHeaders = 'Response headers';

// The attempts of a delivery
export const responseEmpty = 'The response had no body.';

// The timeline
export const receivedFrom = (ip: ReactNode): ReactNode => sentence`from ${ip}`;
export const copyAddress = 'Copy address';
export const noBrowser = 'No user agent was sent';
export const receivedWith = (browser: ReactNode): ReactNode => sentence`with ${browser}`;
export const noPage = 'No page URL was sent';
export const receivedOn = (page: ReactNode): ReactNode => sentence`on ${page}`;
export const nothingSent = 'Nothing was sent';
export const timeline = 'Timeline';
export const retryFailed = (n: number): string => `Retry failed (${formatNumber(n)})`;
export const retryUndelivered = (n: number): string => `Retry undelivered (${formatNumber(n)})`;
export const sendWaiting = (n: number): string => `Send waiting now (${formatNumber(n)})`;
export const sendAgain = 'Send again';
export const sendNow = 'Send now';
export const received = 'Received';
export const checksPassed = 'Checks passed';
export const checksPassedDescription = 'Origin, address and limits';
export const stored = 'Stored';
export const confirmed = 'Confirmed';
export const confirmedBy = (address: ReactNode): ReactNode =>
  sentence`${address} confirmed the link in the mail`;
export const notConfirmedYet = 'Not confirmed yet';
export const askedToConfirm = (address: ReactNode): ReactNode =>
  sentence`It is counted and sent on when ${address} confirms the link in the mail.`;
export const notSentOn = 'Not sent on';
export const notSentOnHint = 'There was no destination when it arrived.';
export const skippedByFilter = 'Skipped by filter';

// Stored parts
const fieldsStored = (n: number): string => count(n, { one: '# field', other: '# fields' });
export const storedParts = (fieldCount: number, files: number): string =>
  files === 0
    ? fieldsStored(fieldCount)
    : formatList([fieldsStored(fieldCount), count(files, { one: '# file', other: '# files' })]);

// The fields
export const showAll = 'Show all';
export const showMore = 'Show more';
export const showLess = 'Show less';
export const charactersShown = (shown: number, all: number): string =>
  `${formatNumber(shown)} of ${formatNumber(all)} characters`;
export const empty = 'empty';
export const noFields = 'No fields were sent.';
export const copyValue = 'Copy value';
export const fieldsShown = (shown: number, all: number): string =>
  count(all, { one: `${formatNumber(shown)} of # field`, other: `${formatNumber(shown)} of # fields` });
export const showMoreFields = (n: number): string => `Show ${formatNumber(n)} more`;

// The files
export const forAnHour = 'for an hour';
export const forADay = 'for a day';
export const for7Days = 'for 7 days';
export const for30Days = 'for 30 days';
export const shareALink = 'Share a link';
export const shareFor = 'Anyone with the link can download';
export const createLink = 'Create link';
export const sharedUntil = (time: ReactNode): ReactNode => sentence`Until ${time}`;
export const copyLink = 'Copy link';
export const viewFile = (name: string): string => `View ${name}`;
export const download = 'Download';

// A file
export const pictureNotShown = 'The picture could not be shown. Download the file instead.';
export const pictureLoading = 'Loading';
export const textShown = (shown: number, all: number): string =>
  `The first ${formatBytes(shown)} of ${formatBytes(all)}`;
export const previousFile = 'Previous file';
export const nextFile = 'Next file';
export const zoomOut = 'Zoom out';
export const zoomIn = 'Zoom in';

// Next attempt
export const sentNow = 'Being sent now';
export const nextTrySoon = 'Next attempt in a moment';
export const soon = 'in a moment';
export const nextTry = (time: string): string => `Next attempt ${time}`;

// Notes
export const noteNotAdded = 'The note was not added';
export const noteNotChanged = 'The note was not changed';
export const noteNotDeleted = 'The note was not deleted';
export const noteDeleted = 'Note deleted';
export const noteNotRestored = 'The note was not restored';
export const you = 'You';
export const authorUnknown = 'API key or deleted user';
export const editNote = 'Edit note';
export const deleteNote = 'Delete note';
export const noteText = 'Text of the note';
export const saveNote = 'Save note';
export const notes = 'Notes';
export const addNoteLabel = 'Add a note for your team';
export const addNote = 'Add note';

// A reply by e-mail
export const replySubject = (about: string): string => `Re: ${about}`;

// Actions
export const previousHint = 'Previous (k)';
export const previousSubmission = 'Previous submission';
export const nextHint = 'Next (j)';
export const nextSubmission = 'Next submission';
export const reply = 'Reply';
export const deleteForGood = 'Delete for good';
export const inArchive = 'In the archive';
export const inSpam = 'In spam: deliveries are paused';
export const isUnconfirmed = 'Unconfirmed: it waits until its visitor confirms the e-mail address';
export const inTrash = 'In the trash: deleted after 30 days, deliveries are paused';
export const label = 'Label';
export const assign = 'Assign';
export const assignedTo = (person: string): string => `Assigned to ${person}`;
export const markAsRead = 'Mark as read';
export const markAsUnread = 'Mark as unread';

// The page
export const fields = 'Fields';
export const copyJson = 'Copy JSON';
export const fieldsView = 'How the fields are shown';
export const plainText = 'Text';
export const files = 'Files';
export const submission = 'Submission';
export const back = 'Back';
export const backTo = (place: string): string => `Back to ${place}`;
export const copyId = 'Copy id';

export const openPage = 'Open the page of the submission';
export const replyHint = 'Reply (r)';
export const openPageHint = 'Open (Enter)';
export const closePane = 'Close';
export const closePaneHint = 'Close (Esc)';
