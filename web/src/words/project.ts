/** A project and its settings. */
import { count, formatNumber } from './format.js';

// Create a form
export const createForm = 'Create form';
export const createFormDescription = 'Visitors see it on the page after they submit.';
export const contactExample = 'Contact';

// Destinations
export const destinationsDescription = 'Inlet sends each new submission of any form to all of these.';

// The list of forms
export const endpoint = 'Endpoint';
export const mode = 'Mode';
export const copyEndpoint = 'Copy endpoint';
export const noFormsHint =
  'Each form has its own address that a page posts to. Create one for each form on your website.';
export const noForms = 'No forms yet';
export const showArchived = (n: number): string => `Show ${formatNumber(n)} archived`;

// Settings
export const general = 'General';
export const generalDescription = 'Name and status.';
export const acceptSubmissions = 'Accept submissions';
export const acceptSubmissionsDescription =
  'When off, visitors see that all forms of the project are closed.';
export const whoMaySubmit = 'Who may submit';
export const whoMaySubmitDescription = 'For all forms of the project.';
export const allowedOrigins = 'Allowed origins';
export const allowedOriginsDescription =
  'Host names whose pages may submit; *.example.com covers subdomains. Empty allows every page.';
export const submissionsPerMinute = 'Submissions per minute';
export const submissionsPerMinuteDescription = 'From one IP address, over all forms.';
export const delivery = 'Delivery';
export const deliveryDescription =
  'Each new submission is sent, signed, to your endpoint, and retried if that fails. A form can have a webhook of its own. Then both get it.';
export const webhookDescription = 'Where submissions of all forms are sent.';
export const notifications = 'Notifications';
export const notificationsDescription = 'Who gets an e-mail for each new submission of any form.';
export const emailAddresses = 'E-mail addresses';
export const emailAddressesDescription = 'At most 20.';
export const dangerZone = 'Danger zone';
export const dangerZoneDescription = 'What cannot be undone.';
export const deleteProjectHint = (forms: number): string =>
  count(forms, {
    one: 'Delete this project with # form, its submissions and files.',
    other: 'Delete this project with # forms, their submissions and files.',
  });
export const deleteProject = 'Delete project';
export const deleteProjectWarning = (forms: number): string =>
  count(forms, {
    one: 'The project, # form, all submissions and files are deleted for good. Pages that still post to its forms get an error.',
    other:
      'The project, # forms, all submissions and files are deleted for good. Pages that still post to its forms get an error.',
  });
export const deleted = 'The project was deleted';

// Submissions
export const noSubmissionsHint = 'New submissions to any form of this project appear here immediately.';
export const noSubmissions = 'No submissions yet';
export const showTheForms = 'Show the forms';
