/** The overview: statistics, and what needs attention. */
import type { ReactNode } from 'react';
import { count, formatDuration, formatNumber, formatPercent } from './format.js';
import { sentence } from './sentence.js';

// The verdict
const lately = (days: number): string => count(days, { one: 'today', other: 'in the last # days' });
export const deliveriesFailed = (failed: number, all: number, days: number): string =>
  count(all, {
    one: `${formatNumber(failed)} of # delivery failed ${lately(days)}.`,
    other: `${formatNumber(failed)} of # deliveries failed ${lately(days)}.`,
  });
export const nothingReceived = (days: number): string => `Nothing was received ${lately(days)}.`;
export const receivedAndStored = (received: number, days: number): string =>
  count(received, {
    one: `# submission received and stored ${lately(days)}.`,
    other: `# submissions received and stored ${lately(days)}.`,
  });

interface Arriving {
  readonly received: number;
  readonly delivered: number;
  readonly waiting: number;
  readonly days: number;
}
export const arriving = ({ received, delivered, waiting, days }: Arriving): string => {
  const arrived = `${formatNumber(received)} received, ${formatNumber(delivered)} delivered`;
  return waiting === 0
    ? `Everything is arriving: ${arrived} ${lately(days)}.`
    : `Deliveries are on their way: ${arrived}, ${formatNumber(waiting)} waiting ${lately(days)}.`;
};

interface Failing {
  readonly name: string;
  readonly form: string | null;
  readonly isDisabled: boolean;
  /** `3 min ago`. */
  readonly since: string | null;
  readonly waiting: number;
  /** The number of further failing destinations. */
  readonly others: number;
}
export const failing = ({ name, form, isDisabled, since, waiting, others }: Failing): string => {
  const of = form === null ? '' : ` of ${form}`;
  const what = isDisabled ? 'was disabled because it failed' : 'is failing';
  const first = since === null ? '' : `, first failure ${since}`;
  const wait =
    waiting === 0 ? '' : count(waiting, { one: ', # delivery waiting', other: ', # deliveries waiting' });
  const more =
    others === 0
      ? ''
      : count(others, { one: ' # more destination is failing.', other: ' # more destinations are failing.' });
  return `“${name}”${of} ${what}${first}${wait}.${more}`;
};

// The statistics of a form or project in one line
export const receivedIn = (days: number, received: number): string =>
  count(days, {
    one: `# day · ${formatNumber(received)} received`,
    other: `# days · ${formatNumber(received)} received`,
  });
export const countRejected = (n: number): string => `${formatNumber(n)} rejected`;
export const countQuarantined = (n: number): string => `${formatNumber(n)} quarantined`;
export const countDelivered = (n: number): string => `${formatNumber(n)} delivered`;

// Delivery speed
export const speed = (p50: number, p95: number | null): string =>
  p95 === null
    ? `Median ${formatDuration(p50)}`
    : `Median ${formatDuration(p50)} · ${formatPercent(0.95)} within ${formatDuration(p95)}`;

// Status of a failing destination
const because = (cause: string | null): string => (cause === null ? '' : `: ${cause}`);
export const destinationFailing = (name: string, cause: string | null): string =>
  `“${name}” is failing${because(cause)}`;
export const destinationDisabled = (name: string, cause: string | null): string =>
  `“${name}” was disabled because it failed${because(cause)}`;
export const firstFailure = (time: ReactNode): ReactNode => sentence`First failure ${time}.`;
export const deliveriesWaiting = (n: number): string =>
  count(n, { one: '# delivery waiting.', other: '# deliveries waiting.' });

// What needs attention
export const needsAttention = 'Needs attention';
export const attentionNone =
  'Nothing at the moment. Failing destinations, sandbox forms that rejected requests, quarantine and a full disk would appear here.';

// Advice
export const receiverFailingAdvice = 'Check why deliveries failed, then retry them.';
export const sandboxInUseAdvice = 'Switch it to live, or register the addresses that test it.';
export const quarantineWaitingAdvice = 'Review them and release anything that isn’t spam.';
export const diskLowAdvice = 'Free space, or set retention on busy forms.';
export const mailFailingAdvice = 'Check the addresses that are notified, and the mail server.';
export const destinationFailingAdvice = 'Fix the cause, then send a test. Waiting deliveries are retried.';
export const destinationDisabledAdvice = 'Fix the cause, enable it again, then send what it missed.';
export const seeDeliveries = 'See deliveries';
export const openSettings = 'Open settings';
export const review = 'Review';
export const seeInstance = 'See instance';
export const openDestination = 'Open destination';
export const open = 'Open';
export const unknownKindAdvice = 'This version of the dashboard does not know it. Load the page again.';

// The page
export const nothingReceivedIn = (days: number): string => `Nothing was received in the last ${days} days`;
export const nothingSentIn = (days: number): string => `Nothing was sent in the last ${days} days`;
export const firstData = (day: string): string => `First data ${day}`;
export const overview = 'Overview';

// Choose a project or a form
export const scopeLabel = 'Project or form';
export const scopeNotFound = 'No project or form has this name';
export const allProjects = 'All projects';

// Series of the charts
export const received = 'Received';
export const rejected = 'Rejected';
