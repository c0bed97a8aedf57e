/** Destinations: list, form, filters, templates and tests. */
import type { ReactNode } from 'react';
import { count, formatDuration, formatEstimate } from './format.js';
import { sentence } from './sentence.js';

// Destination status
export const firstFailure = (time: ReactNode): ReactNode => sentence`first failure ${time}`;
export const waiting = (n: number): string =>
  count(n, { one: '# delivery waiting', other: '# deliveries waiting' });
export const waitingOrMore = (n: number): string =>
  count(n, { one: '# delivery or more waiting', other: '# deliveries or more waiting' });
export const noneYetHint = 'Add a webhook, a chat, an e-mail address or a spreadsheet.';

// Backfill
export const backfillDescription =
  'Sends submissions that this destination never got and that pass its filter.';
export const backfillDescriptionFrom = (time: ReactNode): ReactNode =>
  sentence`Sends submissions that this destination never got and that pass its filter. From ${time} on.`;

// Messages and stored values
export const messageDescription = (service: string): string => `What is sent to ${service}.`;
export const mailDescription = 'What the e-mail says. Leave everything empty to send the default one.';
export const webhookMessageDescription = 'What is sent to your endpoint.';
export const operatorIs = 'is';
export const operatorContains = 'contains';
export const secretSet = 'Set. Leave it empty to keep it.';
export const secretSetAs = (shown: string): string => `Set (${shown}). Leave it empty to keep it.`;

// Add one
export const kinds = 'Kinds';
export const addDestination = 'Add destination';
export const added = (name: string): string => `${name} was added. Send a test to see that it works.`;
export const addKind = (kind: string): string => `Add destination: ${kind}`;
export const addQuestion = 'Where should submissions go?';

// Send past submissions
export const destinationActions = 'Destination actions';
export const sendPastSubmissions = 'Send past submissions';
export const sendWhatWasMissed = 'Send what was missed';
export const submissionsPerMinute = 'Submissions per minute';
export const counting = 'Counting…';
export const noSubmissionMatches = 'No submission matches.';
export const backfillEstimate = (n: number, ms: number): string =>
  count(n, {
    one: `# submission, in about ${formatEstimate(ms)}.`,
    other: `# submissions, in about ${formatEstimate(ms)}.`,
  });
export const notNow = 'Not now';
export const send = 'Send';
export const sendMany = (n: number): string =>
  count(n, { one: 'Send # submission', other: 'Send # submissions' });

// Delays
export const notATime = (text: string): string =>
  `"${text}" is not a time. Write it like 30 s, 5 min, 2 h or 1 d`;

// Drafts
export const starterMessage = 'New submission to {{form.name}}';
export const notValidJson = (reason: string): string => `This is not valid JSON: ${reason}`;
export const nameMissing = 'Give it a name';

// The form
export const noSubmissionToTry = 'There is no submission to try it on yet.';
export const matches = (matched: number, of: number): string =>
  count(of, {
    one: `Matches ${matched} of the last # submission`,
    other: `Matches ${matched} of the last # submissions`,
  });
export const notSaved = (reason: string): string => `Not saved. ${reason}`;
export const where = 'Where';
export const nameDescription = 'Shown in lists and timelines.';
export const whichSubmissions = 'Which submissions';
export const whichSubmissionsDescription =
  'Send only submissions that match. The others are skipped, and their timeline says so.';
export const message = 'Message';
export const retries = 'Retries';
export const retriesDescription = 'A failed delivery is retried until it succeeds or the schedule ends.';
export const useMyOwnSchedule = 'Use my own schedule';
export const useMyOwnScheduleDescription = 'When off, the default schedule of this instance applies.';
export const delaysBetweenAttempts = 'Delays between attempts';
export const delaysBetweenAttemptsDescription = 'Separated by commas: up to 19, together at most 7 days.';

// The list
export const nothingDeliveredYet = 'Nothing delivered yet';
export const lastSuccess = (time: ReactNode): ReactNode => sentence`Last success ${time}`;
export const lastError = (cause: ReactNode): ReactNode => sentence`Last error: ${cause}`;
export const fromProjectSettings = 'From the project’s settings';
export const fromFormSettings = 'From the form’s settings';
export const onlyMatching = 'Only submissions that match its filter';
export const noneYet = 'No destinations yet';

// The page
export const enabled = 'The destination was enabled';
export const disabled = 'The destination was disabled';
export const notEnabled = 'Not enabled';
export const notDisabled = 'Not disabled';
export const deleteDestination = 'Delete destination';
export const deleteDestinationWarning =
  'Nothing more is sent there, and waiting deliveries are cancelled. Submissions stay.';
export const deleted = (name: string): string => `${name} was deleted`;
export const notDeleted = 'The destination was not deleted';
export const sendATest = 'Send a test';
export const disable = 'Disable';
export const enable = 'Enable';
export const testOf = (name: string): string => `Test of ${name}`;
export const testNotSent = 'The test was not sent';
export const nothingIsSent = 'Nothing is sent there';
export const disabledHint = 'Enable it to send new submissions. You can then send those that it missed.';
export const disabledByFailureHint =
  'It was disabled because it kept failing. Fix the cause, send a test, then enable it. You can then send what it missed.';
export const changeElsewhere = 'Change the address where it is set:';
export const saved = 'Saved';

// States
export const stateNew = 'Not used yet';
export const stateOk = 'OK';
export const stateRetrying = 'Retrying';
export const stateFailing = 'Failing';
export const stateDisabled = 'Disabled';

// The filter
export const condition = (number: number): string => `Condition ${number}`;
export const field = 'Field';
export const operator = 'Operator';
export const value = 'Value';
export const valuesExample = 'Values, separated by commas';
export const removeCondition = (number: number): string => `Remove condition ${number}`;
export const comparedAsText = 'This field holds text, so “10” is less than “9”.';
export const allAreSent = 'All submissions are sent.';
export const matchLabel = 'Send a submission that meets';
export const allConditions = 'all conditions';
export const anyCondition = 'any condition';
export const addCondition = 'Add condition';
export const filterAsJson = 'Filter as JSON';
export const filterAsJsonDescription = 'It is matched against the webhook payload.';
export const editAsJson = 'Edit as JSON';
export const editAsConditions = 'Edit as conditions';

// Conditions
export const operatorIsNot = 'is not';
export const operatorOneOf = 'is one of';
export const operatorNotOneOf = 'is not one of';
export const operatorLacks = 'does not contain';
export const operatorStarts = 'starts with';
export const operatorEnds = 'ends with';
export const operatorAbove = 'is greater than';
export const operatorBelow = 'is less than';
export const operatorFilled = 'is filled in';
export const operatorEmpty = 'is empty';
export const conditionIncomplete = 'Complete every condition, or remove it';

// Headers and secrets
export const headerName = (number: number): string => `Name of header ${number}`;
export const headerValue = (number: number): string => `Value of header ${number}`;
export const setNotShown = 'Set, not shown';
export const removeHeader = (number: number): string => `Remove header ${number}`;
export const addHeader = 'Add header';
export const copySecretHint = 'It signs requests as soon as you save. Give it to your endpoint.';
export const copySecretNow = 'Copy it now: it is not shown again';
export const signingSecret = 'Signing secret';
export const useProjectSecretInstead = 'Use the project’s secret instead';
export const leaveSecret = 'Leave it as it was';
export const generateASecret = 'Generate a secret';
export const useProjectSecret = 'Use the project’s secret';
export const projectSecretSigns = 'The project’s secret signs once you save.';
export const signingNewDescription =
  'The project’s secret is used unless you generate one for this destination.';
export const signingSetDescription =
  'The project’s secret signs, unless you generated one for this destination, which is not shown again.';

// The message
export const ownMessage = 'Write my own message';
export const ownMessageDescription = 'When off, the default message with all fields is sent.';
export const templateJson = 'Template (JSON)';
export const template = 'Template';
export const templateJsonDescription =
  'Placeholders go into strings. A string that is only a placeholder keeps the type of the value.';
export const templateDescription = 'Placeholders are replaced by what the visitor wrote, as plain text.';
export const insertAPlaceholder = 'Insert a placeholder';
export const insertPlaceholder = (name: string): string => `Insert ${name}`;
export const previewOfNewest = 'Preview with the newest submission';

// A test
export const testDelivered = 'The test was delivered';
export const testNotDelivered = 'The test was not delivered';
export const testOutcome = (cause: string, ms: number): string => `${cause}, after ${formatDuration(ms)}.`;
export const request = 'Request';
export const body = 'Body';
export const response = 'Response';
