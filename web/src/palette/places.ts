/** Entries with a URL that do not depend on the account: pages, tabs, settings sections and documentation. */
import {
  IconBook,
  IconGauge,
  IconInbox,
  IconKey,
  IconLayoutDashboard,
  IconList,
  IconMailOff,
  IconServer,
  IconSettings,
  IconShieldHalf,
  IconUserCircle,
  IconUserSearch,
  IconUsers,
} from '@tabler/icons-react';
import type { Permission } from '../../../src/model/permission.js';
import { documentUrl } from '../help/document-link.js';
import { folders, inbox } from '../inbox/places.js';
import { anchorOf } from '../ui/settings-section.js';
import * as common from '../words/common.js';
import { documentation } from '../words/documents.js';
import * as words from '../words/palette.js';
import * as places from '../words/places.js';
import type { Entry } from './entries.js';

export interface Page extends Entry {
  /** Without it the page shows nothing. */
  readonly permission: Permission | null;
}

const page = (
  to: string,
  label: string,
  icon: Entry['icon'],
  alias = '',
  permission: Permission | null = null,
): Page => ({
  key: `page:${to}`,
  label,
  hint: '',
  alias,
  icon,
  target: { to },
  permission,
});

export const pages: readonly Page[] = [
  page('/', places.overview, IconLayoutDashboard, words.overviewAlias),
  page(inbox.address, inbox.name, IconInbox, words.inboxAlias),
  ...Object.values(folders).map(({ name, address }) => page(address, name, IconInbox, words.folderAlias)),
  page('/projects', places.projects, IconList),
  page('/quarantine', places.quarantine, IconShieldHalf, words.quarantineAlias),
  page('/api-keys', places.apiKeys, IconKey, words.apiKeysAlias, 'api_keys.read'),
  page('/users', places.users, IconUsers, words.usersAlias, 'users.read'),
  page('/your-account', places.yourAccount, IconUserCircle, words.yourAccountAlias),
  page('/your-account#your-password', words.yourPassword, IconSettings, words.yourPasswordAlias),
  page('/single-sign-on', places.singleSignOn, IconUsers, words.singleSignOnAlias, 'identity_providers.read'),
  page(
    '/suppressed-addresses',
    places.suppressedAddresses,
    IconMailOff,
    words.suppressedAlias,
    'suppressed_addresses.read',
  ),
  page('/person', places.person, IconUserSearch, words.personAlias, 'persons.read'),
  page('/audit', places.auditLog, IconBook, words.auditAlias, 'audit.read'),
  page('/plan', places.plan, IconGauge, words.planAlias),
  page('/instance', places.instance, IconServer, words.instanceAlias),
];

/** Settings sections by title, each with the words for its settings. */
type Sections = Readonly<Record<string, string>>;

/** For a form or project: the path and name of its page. */
export const sectionsOf = (path: string, name: string, sections: Sections): readonly Entry[] =>
  Object.entries(sections).map(([title, alias]) => ({
    key: `section:${path}#${title}`,
    label: title,
    hint: words.settingsOf(name),
    alias,
    icon: IconSettings,
    target: { to: `${path}/settings#${anchorOf(title)}` },
  }));

export const formTabs: Readonly<Record<string, string>> = {
  settings: common.settings,
  destinations: common.destinations,
  deliveries: common.deliveries,
  quarantine: places.quarantine,
  rejections: words.rejected,
  snippets: words.snippets,
};
export const projectTabs: Readonly<Record<string, string>> = {
  submissions: common.submissions,
  settings: common.settings,
  destinations: common.destinations,
  deliveries: common.deliveries,
};

export const tabsOf = (
  path: string,
  name: string,
  tabs: Readonly<Record<string, string>>,
  hasSettings: boolean,
): readonly Entry[] =>
  Object.entries(tabs)
    .filter(([tab]) => hasSettings || tab !== 'settings')
    .map(([tab, label]) => ({
      key: `tab:${path}/${tab}`,
      label,
      hint: name,
      icon: IconList,
      target: { to: `${path}/${tab}` },
    }));

export const documentPages: readonly Entry[] = Object.entries(documentation).map(
  ([place, [title, alias]]) => ({
    key: `doc:${place}`,
    label: title,
    hint: words.documentation,
    alias,
    icon: IconBook,
    target: { href: documentUrl(place) },
  }),
);
