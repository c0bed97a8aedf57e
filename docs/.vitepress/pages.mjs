/** The pages in the order in which the site shows them: by folder, then by `order`, then by title. A new page appears by itself. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const docsFolder = fileURLToPath(new URL('..', import.meta.url));

const fieldOf = (head, name) => {
  const [, text = ''] = new RegExp(`^${name}: *(.+)$`, 'm').exec(head) ?? [];
  return text.trim().replace(/^(["'])(.*)\1$/, '$2');
};

function readPage(file) {
  const text = readFileSync(join(docsFolder, file), 'utf8');
  const [, head = ''] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? [];
  const [, heading = file] = /^# (.+)$/m.exec(text) ?? [];
  return {
    file,
    title: fieldOf(head, 'title') || heading.replaceAll('`', ''),
    description: fieldOf(head, 'description'),
    order: Number(fieldOf(head, 'order') || (file.endsWith('index.md') ? 0 : 1000)),
  };
}

const byPlace = (one, other) => one.order - other.order || one.title.localeCompare(other.title, 'en');

/** All pages, in order. */
export const allPages = () =>
  readdirSync(docsFolder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('.'))
    .map(readPage)
    .sort(byPlace);

const pagesIn = (folder) => allPages().filter(({ file }) => dirname(file) === folder);

/** Guides are many, so they are shown in groups; what is in none of them is in the last. */
const guideGroups = {
  'Your website': [
    'html',
    'react',
    'vue',
    'svelte',
    'astro',
    'next',
    'hugo',
    'browser-script',
    'browser-clients',
  ],
  Forms: [
    'fields',
    'files',
    'images',
    'allowed-origins',
    'spam',
    'hosted-page',
    'visitor-pages',
    'move-form',
    'retention',
  ],
  'Get submissions': [
    'inbox',
    'export',
    'email',
    'webhooks',
    'webhook-request',
    'import',
    'curl',
    'inbox-api',
  ],
  'Users and privacy': ['users', 'single-sign-on', 'audit-log', 'privacy-requests'],
  Operations: [],
};

const nameOf = ({ file }) => file.replace(/^.*\/|\.md$/g, '');

function groupedGuides() {
  const guides = pagesIn('guides');
  const listed = new Set(Object.values(guideGroups).flat());
  return Object.entries(guideGroups).map(([text, names]) => {
    const isLast = names.length === 0;
    return {
      text,
      pages: guides.filter((page) => (isLast ? !listed.has(nameOf(page)) : names.includes(nameOf(page)))),
    };
  });
}

/** Sections of the site: where they start, and their groups of pages. A section is shown beside each of its pages. */
export const sections = () => [
  {
    title: 'Guides',
    paths: ['/tutorial/', '/guides/', '/migrate/', '/runbooks/'],
    groups: [
      { text: 'Tutorial', pages: pagesIn('tutorial') },
      ...groupedGuides(),
      { text: 'Destinations', pages: pagesIn('guides/destinations') },
      { text: 'Move from another service', pages: pagesIn('migrate') },
      { text: 'Alerts', pages: pagesIn('runbooks') },
    ],
  },
  {
    title: 'Reference',
    paths: ['/reference/'],
    groups: [
      { text: 'Reference', pages: pagesIn('reference') },
      { text: 'API', pages: pagesIn('reference/api') },
    ],
  },
  {
    title: 'Explanation',
    paths: ['/explanation/', '/adr/'],
    groups: [
      { text: 'Explanation', pages: pagesIn('explanation') },
      { text: 'Decisions', pages: pagesIn('adr') },
    ],
  },
];

export const addressOf = (file) => `/${file.replace(/(index)?\.md$/, '')}`;

export const sidebar = () =>
  Object.fromEntries(
    sections().flatMap(({ paths, groups }) => {
      const shown = groups
        .filter(({ pages }) => pages.length > 0)
        .map(({ pages, ...group }) => ({
          ...group,
          items: pages.map(({ file, title }) => ({ text: title, link: addressOf(file) })),
        }));
      return paths.map((path) => [path, shown]);
    }),
  );
