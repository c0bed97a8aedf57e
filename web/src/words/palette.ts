/** The command palette. An alias contains further words that match an entry. */
import type { ReactNode } from 'react';
import * as sections from './sections.js';
import { sentence } from './sentence.js';

// Input and list
export const commands = 'Search and commands';
export const placeholder = 'Search everything or type a command';
export const option = (label: string, hint: string): string => `${label}, ${hint}`;
export const keysToMove = (up: ReactNode, down: ReactNode): ReactNode => sentence`${up} ${down} move`;
export const keyToClose = (key: ReactNode): ReactNode => sentence`${key} close`;
export const keyToOpen = (key: ReactNode): ReactNode => sentence`${key} open`;

// Groups
export const actions = 'Actions';
export const documentation = 'Documentation';
export const pages = 'Pages';
export const recent = 'Recent';
export const tabs = 'Tabs';

// Found submissions
export const allMatchesInInbox = 'All matches in the inbox';
/** The form of a submission, and part of its text. */
export const inForm = (form: string, text: string): string => `${form} · ${text}`;
export const allMatches = (form: string): string => `All matches in ${form}`;
export const nothingMatches = (searched: string): string => `Nothing matches “${searched}”`;
export const searching = 'Searching submissions…';
export const searchFailed = 'Submissions could not be searched. Check that Inlet is running.';
/** For entries without a better name. */
export const unnamedForm = 'Form';
export const unnamedSubmission = 'Submission';

// Actions
export const copyEndpoint = (form: string): string => `Copy endpoint of ${form}`;
export const copyEndpointAlias = 'url address';
export const createAlias = 'new add';
export const createForm = (project: string): string => `Create form in ${project}`;
export const createProject = 'Create project';
export const endpointCopied = 'The endpoint was copied';
export const helpAlias = 'keys help';
export const schemeAlias = 'theme scheme mode colors';
export const showShortcuts = 'Show keyboard shortcuts';
export const signOutAlias = 'log out';
export const systemSchemeAlias = 'theme scheme';
export const useDark = 'Use dark colours';
export const useLight = 'Use light colours';
export const useSystem = 'Use the colours of the system';

// Pages
export const apiKeysAlias = 'account settings tokens';
export const auditAlias = 'history who changed viewed exported compliance';
export const folderAlias = 'inbox folder';
export const inboxAlias = 'submissions unread mail';
export const instanceAlias = 'status health version disk';
export const overviewAlias = 'home dashboard statistics charts';
export const planAlias = 'account limits usage';
export const quarantineAlias = 'spam honeypot';
export const personAlias = 'privacy gdpr erase delete export data subject';
export const suppressedAlias = 'e-mail email bounced unsubscribed';
export const usersAlias = 'account settings people team';
export const yourAccountAlias = 'profile e-mail address sessions sign out two factors authenticator totp';
export const singleSignOnAlias = 'sso oidc openid identity provider google microsoft okta keycloak';
export const yourPassword = 'Your password';
export const yourPasswordAlias = 'account settings change';

// Tabs
export const rejected = 'Rejected';
export const snippets = 'Snippets';

// Settings sections, each with the words for its settings
export const formSections: Readonly<Record<string, string>> = {
  [sections.general]: 'name status active closed',
  [sections.afterSubmitting]: 'redirect thank-you wait webhook',
  [sections.thankYouPage]: 'logo colour title text branding',
  [sections.hostedPage]: 'embed iframe frame noindex link',
  [sections.whoMaySubmit]: 'origins cors sandbox live mode service key blocked addresses ip',
  [sections.openingTimes]: 'opens closes deadline maximum number of submissions',
  [sections.spam]: 'captcha altcha turnstile hcaptcha recaptcha honeypot',
  [sections.delivery]: 'webhook url signing secret test',
  [sections.notifications]: 'e-mail email addresses cc',
  [sections.automaticReply]: 'autoresponder e-mail email visitor respond',
  [sections.doubleOptIn]: 'confirm address newsletter unconfirmed e-mail email',
  [sections.limitsAndRetention]: 'delete after days files redact fields',
  [sections.privacy]: 'gdpr ip address user agent browser visitors personal data',
  [sections.aliases]: 'formspree web3forms netlify migrate',
  [sections.importing]: 'csv submissions',
  [sections.dangerZone]: 'delete form',
};
export const projectSections: Readonly<Record<string, string>> = {
  [sections.general]: 'name status active closed',
  [sections.whoMaySubmit]: 'origins cors rate limit',
  [sections.delivery]: 'webhook url signing secret test rotate',
  [sections.notifications]: 'e-mail email addresses',
  [sections.dangerZone]: 'delete project',
};
export const settingsOf = (name: string): string => `Settings of ${name}`;

// Documentation
