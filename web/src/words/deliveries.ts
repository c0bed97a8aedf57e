/** Deliveries and replays. */
import { count, formatEstimate, formatNumber, formatTime } from './format.js';

// Replay progress
export const queued = 'Deliveries queued';
export const queuedAgain = 'Deliveries queued again';
export const replayRunning = (sent: number, all: number, isAgain: boolean): string =>
  isAgain
    ? `${formatNumber(sent)} of ${formatNumber(all)} queued again`
    : `${formatNumber(sent)} of ${formatNumber(all)} queued`;
export const replayLeft = (ms: number): string => `about ${formatEstimate(ms)} left`;
export const replayFinished = (sent: number, isAgain: boolean): string =>
  isAgain
    ? count(sent, { one: '# delivery queued again', other: 'All # deliveries queued again' })
    : count(sent, { one: '# delivery queued', other: 'All # deliveries queued' });
export const replayCancelled = (sent: number): string =>
  count(sent, {
    one: 'Stopped after # delivery; queued deliveries are still sent',
    other: 'Stopped after # deliveries; queued deliveries are still sent',
  });

// The list
export const notTriedYet = 'Not tried yet';
export const noneYetHint = 'Each new submission is sent to all destinations, and retried if that fails.';
export const noneYet = 'Nothing has been sent yet';
export const seeDestinations = 'See destinations';
export const state = 'State';
export const anyState = 'Any state';
export const destination = 'Destination';
export const anyDestination = 'Any destination';
export const sendAllWaitingNow = 'Send all waiting now';
export const replay = 'Replay';
export const noMatchesHint = 'No matching deliveries.';
export const noMatches = 'No matches';
export const showAll = 'Show all';
export const submission = 'Submission';
export const untitled = 'Submission';
export const lastAttempt = 'Last attempt';
export const attempts = 'Attempts';
export const next = 'Next';
export const selectOf = (iso: string): string => `Select the delivery of ${formatTime(iso)}`;
export const showMore = 'Show more';

/** After `Back to`. */
export const wayBack = 'deliveries';
export const shownAll = (n: number): string => count(n, { one: '# delivery', other: '# deliveries' });
export const shownOfMore = (n: number): string =>
  count(n, { one: '# delivery shown', other: '# deliveries shown' });

// Replay
export const replayDeliveries = 'Replay deliveries';
export const replayDescription =
  'Each delivery is sent to the current address. It has the same ID, so your endpoint can skip duplicates.';
export const whichDeliveries = 'Which deliveries';
export const counting = 'Counting…';
export const replayEstimate = (found: number, perMinute: number, ms: number): string =>
  count(found, {
    one: `# delivery, ${formatNumber(perMinute)} per minute: about ${formatEstimate(ms)}.`,
    other: `# deliveries, ${formatNumber(perMinute)} per minute: about ${formatEstimate(ms)}.`,
  });
export const replayMany = (n: number): string =>
  count(n, { one: 'Replay # delivery', other: 'Replay # deliveries' });

// Parts of a replay
export const submittedFrom = 'Submitted from';
export const to = 'To';
export const rangeHint = 'Whole days, in your time zone. Leave empty for all.';
export const keepsRunning = 'Keeps running if you close this.';
export const starting = 'Starting…';
export const stop = 'Stop';

// Retry the selection
export const nothingToRetry = 'Nothing to retry';
export const retried = (n: number): string =>
  count(n, { one: '# delivery queued', other: '# deliveries queued' });
export const notAllRetried = 'Not all were retried';
export const retry = 'Retry';
