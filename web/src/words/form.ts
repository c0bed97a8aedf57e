/** A form: its tabs and its menu. Its settings have their own module. */
import type { ReactNode } from 'react';
import { formatNumber } from './format.js';
import { sentence } from './sentence.js';

// Destinations
export const destinationsDescription = 'Inlet sends each new submission to all of these.';
export const fromTheProject = 'From the project';
export const fromTheProjectDescription = (project: ReactNode): ReactNode =>
  sentence`These get the submissions of all forms. Change them in the ${project}.`;
export const projectLink = 'project';

// Move to another project
export const moveToProject = 'Move to project';
export const moveForm = 'Move form';
export const moved = 'The form was moved';
export const project = 'Project';
export const chooseProject = 'Choose a project';
export const noProjectFound = 'No project has this name';
export const noOtherProject = 'There is no other project. Create one first.';
export const moveChanges = [
  'The form keeps its endpoint, aliases, settings and destinations.',
  'It takes on the allowed origins, rate limit, notifications and destinations of the new project. Webhooks without a secret of their own are signed with the new project’s secret.',
  'Deliveries that wait for destinations of the old project still go there.',
  'Submissions follow in the background. A million takes a few minutes.',
] as const;

// Duplicate and archive
export const copiedWithoutSecrets = (names: string): string =>
  `Without their secrets, and switched off: ${names}.`;
export const notCopied = (names: string): string => `Not copied, because they need a secret: ${names}.`;
export const captchaOff = 'The CAPTCHA is off until you enter its secret key.';
export const duplicated = 'The form was duplicated';
export const archived = 'The form was archived';
export const unarchived = 'The form is open again';
export const notArchived = 'The form was not archived';
export const notUnarchived = 'The form is still archived';
export const archiveForm = 'Archive form';
export const archiveFormWarning =
  'Visitors will see that the form is closed, and it leaves the sidebar and the lists. Submissions, files, destinations and settings are kept. You can unarchive it at any time.';
export const formActions = 'Form actions';
export const duplicate = 'Duplicate';
export const unarchive = 'Unarchive';
export const archive = 'Archive';
export const duplicateForm = 'Duplicate form';
export const duplicateFormDescription =
  'The copy gets the settings and destinations. Submissions, aliases and write-only secrets are not copied.';
export const copyOf = (name: string): string => `${name} (copy)`;

// The page
export const fields = 'Fields';
export const quarantine = 'Quarantine';
export const rejected = 'Rejected';
export const statistics = 'Statistics';
export const snippets = 'Snippets';
export const copyEndpoint = 'Copy endpoint';

// Statistics
export const noPagesNamed = (days: number): string =>
  `No submission in the last ${days} days has a page URL.`;
export const topPages = 'Top pages';
export const page = 'Page';
export const topSites = 'Top sites';
export const site = 'Site';
export const countedOver = (n: number, days: number): string =>
  `Counted over the newest ${formatNumber(n)} submissions of the last ${days} days.`;
export const nothingReceivedIn = (days: number): string => `Nothing was received in the last ${days} days`;

// Rejected requests
export const rejectedDescription = (quarantine: ReactNode): ReactNode =>
  sentence`Requests that this form rejected, why, and how to allow them. What the honeypot caught is in ${quarantine}.`;
export const theQuarantine = 'quarantine';
export const noneRejectedHint = (days: number): string =>
  `Nothing was rejected in the last ${days} days. A missing origin or an unregistered address appears here with a button that fixes it.`;
export const noneRejected = 'No rejected requests';

// What a test submission contains
export const testName = 'Ada Lovelace';
export const testMessage = 'A first message, sent from the dashboard.';
export const serverUnreachable =
  'The server cannot be reached. Check your connection and that Inlet is running.';

// Choose a snippet
export const snippetsNotLoaded = 'The snippets could not be loaded';
export const snippetOf = (title: string): string => `Snippet: ${title}`;

// Snippets
export const snippetsDescription =
  'Copy one into your page and change it as you like. It uses the fields of your rules or of past submissions. Without rules, Inlet stores every field it gets.';

// Submissions
export const noSubmissionsHint = (rejected: ReactNode): ReactNode =>
  sentence`Copy a snippet into your page and submit the form. The submission appears here immediately, or, with the reason, under ${rejected}.`;
export const noSubmissions = 'No submissions yet';
export const getASnippet = 'Get a snippet';
export const importSubmissions = 'Import submissions';

// Send a test submission
export const test = 'Test';
export const sendATestSubmission = 'Send a test submission';
export const testHint = 'It is treated like a real submission.';
export const testArrived = 'It has arrived';
export const openSubmission = 'Open submission';
export const testRejected = 'The test submission was rejected';
