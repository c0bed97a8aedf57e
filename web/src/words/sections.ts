/** The titles of settings sections, as pages show them and the palette finds them. The anchor of a section is derived from its title. */
export const afterSubmitting = 'After submitting';
export const aliases = 'Aliases';
export const automaticReply = 'Automatic reply';
export const dangerZone = 'Danger zone';
export const delivery = 'Delivery';
export const doubleOptIn = 'Double opt-in';
export const general = 'General';
export const hostedPage = 'Hosted page';
export const importing = 'Import';
export const limitsAndRetention = 'Limits and retention';
export const notifications = 'Notifications';
export const openingTimes = 'Opening times';
export const privacy = 'Privacy';
export const spam = 'Spam';
export const thankYouPage = 'Thank-you page';
export const whoMaySubmit = 'Who may submit';
