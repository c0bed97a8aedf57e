/** What has an address and does not depend on the account: pages, tabs, sections of settings, and the documentation. */
import {
  IconBook,
  IconGauge,
  IconInbox,
  IconKey,
  IconLayoutDashboard,
  IconList,
  IconServer,
  IconSettings,
  IconShieldHalf,
  IconUsers,
} from '@tabler/icons-react';
import { folders, inbox } from '../inbox/places.js';
import { instancePath } from '../page-facts.js';
import { anchorOf } from '../ui/settings-section.js';
import { documentation } from './documents.js';
import type { Entry } from './entries.js';

const page = (to: string, label: string, icon: Entry['icon'], alias = ''): Entry => ({
  key: `page:${to}`,
  label,
  hint: '',
  alias,
  icon,
  target: { to },
});

export const pages: readonly Entry[] = [
  page('/', 'Overview', IconLayoutDashboard, 'home dashboard statistics charts'),
  page(inbox.address, inbox.name, IconInbox, 'submissions unread mail'),
  ...Object.values(folders).map(({ name, address }) => page(address, name, IconInbox, 'inbox folder')),
  page('/projects', 'Projects', IconList),
  page('/quarantine', 'Quarantine', IconShieldHalf, 'spam honeypot'),
  page('/api-keys', 'API keys', IconKey, 'account settings tokens'),
  page('/users', 'Users', IconUsers, 'account settings people team'),
  page('/users#your-password', 'Your password', IconSettings, 'account settings change'),
  page('/plan', 'Plan', IconGauge, 'account limits usage'),
  page('/instance', 'Instance', IconServer, 'status health version disk'),
];

/** The sections of settings by their titles, with what is set in each. */
type Sections = Readonly<Record<string, string>>;

export const formSections: Sections = {
  General: 'name status active closed',
  'After submitting': 'redirect thank-you wait webhook',
  'Thank-you page': 'logo colour title text branding',
  'Who may submit': 'origins cors sandbox live mode service key blocked addresses ip',
  Spam: 'captcha altcha turnstile hcaptcha recaptcha honeypot',
  Delivery: 'webhook url signing secret test',
  Notifications: 'e-mail email addresses cc',
  'Limits and retention': 'delete after days',
  Aliases: 'formspree web3forms netlify migrate',
  Import: 'csv submissions',
  'Danger zone': 'delete form',
};

export const projectSections: Sections = {
  General: 'name status active closed',
  'Who may submit': 'origins cors rate limit',
  Delivery: 'webhook url signing secret test rotate',
  Notifications: 'e-mail email addresses',
  'Danger zone': 'delete project',
};

/** Of a form or a project: the path of its page, and what it is called. */
export const sectionsOf = (path: string, name: string, sections: Sections): readonly Entry[] =>
  Object.entries(sections).map(([title, alias]) => ({
    key: `section:${path}#${title}`,
    label: title,
    hint: `Settings of ${name}`,
    alias,
    icon: IconSettings,
    target: { to: `${path}/settings#${anchorOf(title)}` },
  }));

export const formTabs: Readonly<Record<string, string>> = {
  settings: 'Settings',
  destinations: 'Destinations',
  deliveries: 'Deliveries',
  quarantine: 'Quarantine',
  rejections: 'Rejected',
  snippets: 'Snippets',
};
export const projectTabs: Readonly<Record<string, string>> = {
  submissions: 'Submissions',
  settings: 'Settings',
  destinations: 'Destinations',
  deliveries: 'Deliveries',
};

export const tabsOf = (
  path: string,
  name: string,
  tabs: Readonly<Record<string, string>>,
): readonly Entry[] =>
  Object.entries(tabs).map(([tab, label]) => ({
    key: `tab:${path}/${tab}`,
    label,
    hint: name,
    icon: IconList,
    target: { to: `${path}/${tab}` },
  }));

const documents = 'https://github.com/inlet-forms/inlet/blob/main/docs';

export const documentPages: readonly Entry[] = [
  {
    key: 'doc:/docs',
    label: 'Try the API',
    hint: 'Interactive reference',
    alias: 'swagger openapi docs',
    icon: IconBook,
    target: { href: `${instancePath}/docs` },
  },
  ...Object.entries(documentation).map(([file, [title, alias]]) => ({
    key: `doc:${file}`,
    label: title,
    hint: 'Documentation',
    alias,
    icon: IconBook,
    target: { href: `${documents}/${file}` },
  })),
];
