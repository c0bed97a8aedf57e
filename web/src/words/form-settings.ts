/** The settings of a form. */
import type { ReactNode } from 'react';
import { count } from './format.js';
import { sentence } from './sentence.js';

// Delete the form
export const dangerZone = 'Danger zone';
export const dangerZoneDescription = 'What cannot be undone.';
export const deleteFormHint = (submissions: number): string =>
  count(submissions, {
    one: 'Delete this form with # submission and its files.',
    other: 'Delete this form with # submissions and their files.',
  });
export const deleteForm = 'Delete form';
export const deleteFormWarning = (submissions: number): string =>
  count(submissions, {
    one: 'The form, # submission, all files and the delivery log are deleted for good. Pages that still post to it get an error.',
    other:
      'The form, # submissions, all files and the delivery log are deleted for good. Pages that still post to it get an error.',
  });
export const formDeleted = 'The form was deleted';

// Who may submit
export const whoMaySubmit = 'Who may submit';
export const whoMaySubmitDescription = 'Which pages may submit, and from which IP addresses.';
export const allowedOrigins = 'Allowed origins';
export const allowedOriginsDescription =
  "Host names whose pages may submit; *.example.com covers subdomains. Empty uses the project's list; if that is empty too, every page may submit.";
export const mode = 'Mode';
export const modeLiveDescription = 'For your website: everyone can submit, within these rules.';
export const modeSandboxDescription =
  'For development: only registered IP addresses can submit, also from pages on localhost.';
export const sandboxAddresses = 'Sandbox addresses';
export const sandboxAddressesDescription =
  'IP addresses or ranges such as 203.0.113.0/24 that can submit in sandbox mode.';
export const registerMyAddress = (address: string): string => `Register my address ${address}`;
export const serviceKey = 'Service key';
export const serviceKeyDescription =
  'Your server sends it as X-Service-Key. At least 16 characters. Empty means none.';
export const serviceKeyNone = 'None';
export const copyServiceKey = 'Copy service key';
export const generate = 'Generate';
export const blockedAddresses = 'Blocked addresses';
export const blockedAddressesDescription = 'IP addresses or ranges that cannot submit.';

// Opening times
export const openingTimes = 'Opening times';
export const openingTimesDescription =
  'Outside these times, or when it is full, visitors see that the form is closed. Times are in your time zone.';
export const opensAt = 'Opens at';
export const opensAtDescription = 'Empty opens it at once.';
export const closesAt = 'Closes at';
export const closesAtDescription = 'Empty keeps it open.';
export const maxSubmissions = 'Close after';
export const maxSubmissionsDescription =
  'Number of submissions. Spam and trash count until they are deleted.';
export const maxSubmissionsNone = 'Any number';

// Aliases
export const aliasMissing = 'Enter an alias';
export const aliasAdded = (alias: string): string => `The alias ${alias} was added`;
export const alias = 'Alias';
export const aliasHint = 'ID, access key, name or address';
export const addAlias = 'Add alias';
export const aliasAddedAt = (time: ReactNode): ReactNode => sentence`Added ${time}`;
export const remove = 'Remove';
export const removeNamed = (alias: string): string => `Remove ${alias}`;
export const aliasRemoved = (alias: string): string => `The alias ${alias} was removed`;
export const aliasNotRemoved = 'The alias was not removed';
export const aliases = 'Aliases';
export const aliasesDescription =
  'IDs, access keys, form names or addresses from another form service. Requests that name one reach this form.';
export const showMore = 'Show more';

// Spam
export const captchaBuiltIn = 'ALTCHA (built in, no third party)';
export const spam = 'Spam';
export const spamDescription = 'Keep bots out.';
export const askForACaptcha = 'Ask for a CAPTCHA';
export const askForACaptchaDescription =
  'Submissions without a solved challenge are rejected. Visitors need JavaScript. Copy the updated snippet into your page.';
export const provider = 'Provider';
export const siteKey = 'Site key';
export const siteKeyDescription = 'The public key that your page uses.';
export const secretKey = 'Secret key';
export const secretKeyDescription = 'Stored and never shown again. Leave it empty to keep the current one.';
export const secretKeyUnchanged = 'Unchanged';
export const hiddenField = 'Hidden field';
export const hiddenFieldDescription =
  'People do not see it, but bots fill it in. Their submissions go to quarantine. Put it inside your form.';

// General, after submitting, delivery, notifications, limits, import
export const general = 'General';
export const generalDescription = 'Name and status.';
export const acceptSubmissions = 'Accept submissions';
export const acceptSubmissionsDescription = 'When off, visitors see that the form is closed.';
export const afterSubmitting = 'After submitting';
export const afterSubmittingDescription = 'What visitors see after they submit the form.';
export const redirectTo = 'Redirect to';
export const redirectToDescription = "Your thank-you page. Empty uses Inlet's.";
export const waitForTheWebhook = 'Wait for the webhook';
export const waitForTheWebhookDescription =
  'Visitors wait until the first delivery attempt ends, at most 10 seconds. The URL of the page they land on says webhook=delivered or webhook=pending.';
export const delivery = 'Delivery';
export const deliveryDescription = (project: ReactNode): ReactNode =>
  sentence`Each new submission is sent, signed, to your endpoint, and retried if that fails. The ${project} can have a webhook too. Then both get it.`;
export const projectLink = 'project';
export const webhookDescription = 'Where submissions of this form are sent.';
export const notifications = 'Notifications';
export const notificationsDescription = 'Who gets an e-mail for each new submission.';
export const emailAddresses = 'E-mail addresses';
export const emailAddressesDescription = 'In addition to those of the project. At most 20.';
export const addressesThatPagesCanCopy = 'Addresses that pages can copy';
export const addressesThatPagesCanCopyDescription =
  'A page can name these in a hidden field called _cc. Other addresses are ignored. At most 20.';
export const limitsAndRetention = 'Limits and retention';
export const limitsDescription = (project: ReactNode): ReactNode =>
  sentence`How long submissions are stored. The rate limit is set for the whole ${project}.`;
/** Behind a number. */
export const daysUnit = (days: number): string => count(days, { one: ' day', other: ' days' });
export const deleteSubmissionsAfter = 'Delete submissions after';
export const deleteSubmissionsAfterDescription =
  'Days. Their files are deleted too. Empty keeps them until you delete them.';
export const retentionNever = 'Never';
export const retentionWarning = 'Existing older submissions will be deleted soon after you save.';
export const deleteFilesAfter = 'Delete files after';
export const deleteFilesAfterDescription =
  'Days. The submission stays. Empty keeps files as long as their submission.';
export const filesWithSubmission = 'With the submission';
export const fileRetentionWarning =
  'Files of existing older submissions will be deleted soon after you save.';
export const redactFields = 'Redact after delivery';
export const redactFieldsDescription =
  'Names of fields. Once everything is delivered, their values become [redacted], and their files are deleted.';
export const redactFieldsPlaceholder = 'iban';
export const redactWarning =
  'Values in existing submissions that are delivered will be redacted soon after you save. They cannot be restored.';
export const privacy = 'Privacy';
export const privacyDescription = 'What Inlet stores about visitors besides what they enter.';
export const storeIp = 'Store the IP address';
export const storeIpDescription =
  'When off, new submissions have no address, and visitors are counted by a hash that changes every day.';
export const storeUserAgent = 'Store the browser';
export const storeUserAgentDescription = 'When off, new submissions do not say which browser was used.';
export const importSection = 'Import';
export const importSectionDescription = 'Bring submissions from another service, with their dates.';
export const importSubmissions = 'Import submissions';

// The thank-you page
export const thankYouPage = 'Thank-you page';
export const thankYouPageDescription = (openThePage: ReactNode): ReactNode =>
  sentence`What visitors see after submitting, unless your page uses inlet.js. The logo and colour are on error pages too. ${openThePage}`;
export const openThePage = 'Open the page';
export const thankYouPageUnused =
  'Visitors go to your own page after submitting. They see only the error pages.';
export const title = 'Title';
export const titleDescription = "Empty uses “Thank you” in the visitor's language.";
export const text = 'Text';
export const textDescription =
  "Plain text, at most 500 characters. Empty uses a sentence in the visitor's language.";
export const logoUrl = 'Logo URL';
export const logoUrlDescription = 'An image on your website, https only.';
export const colour = 'Colour';
export const colourDescription =
  'Six hexadecimal digits. The text on it becomes black or white, whichever is easier to read.';
