/** The help text of each page. */
export const aboutThisPage = 'About this page';

export const apiKeys = 'API keys let your programs use the API. A key is shown once, when you create it.';
export const deliveries =
  'A delivery is one submission on its way to one destination. Failed ones can be retried.';
export const destinations =
  'A destination is a place that submissions are sent to, such as a webhook, a mailbox or a Slack channel.';
export const fields = 'Fields shows what arrived and the rules that new submissions must follow.';
export const formSettings = 'Settings decide who may submit, what visitors see, and where submissions go.';
export const importing =
  'Import brings submissions from another service into this form. Nothing is sent to destinations.';
export const inbox = 'The inbox has the submissions of all forms. Read, label, assign and archive them here.';
export const instance = 'Instance shows the health of this Inlet: version, disk, queue and processes.';
export const auditLog = 'The audit log shows who changed settings, and who saw or exported what people sent.';
export const overview = 'The overview shows what arrived, what was delivered, and what needs your attention.';
export const person =
  'Find everything stored about a person, export it, or erase it for good with a receipt.';
export const plan = 'The plan sets the limits of this account.';
export const projectSettings = 'These settings apply to all forms of the project.';
export const quarantine =
  'The quarantine has what looks like spam. Release real messages; the rest is deleted after a while.';
export const rejections =
  'Rejected requests were refused by your rules or limits. Each shows the reason and how to fix it.';
export const snippets =
  'A snippet is the code of this form for your website. Copy the one for your framework.';
export const start = 'A form needs three things: a project, a form in it, and its endpoint in your page.';
export const submission =
  'This page has everything about one submission: its fields, its files and each delivery attempt.';
export const suppressedAddresses = 'Addresses that bounced get no more e-mail until you remove them here.';
export const users = 'Users can sign in to this dashboard. Their role decides what they may see and change.';
export const yourAccount =
  'Change your password and your address, see where you are signed in, and set up two-factor sign-in.';
export const singleSignOn =
  'Your team signs in with the identity provider you already use. Add it here, then register the redirect URI there.';
