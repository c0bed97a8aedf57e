/** On phones: the most used pages, within thumb reach. Everything else is behind "More". */
import { UnstyledButton } from '@mantine/core';
import { IconDots, IconFolders, IconInbox, IconLayoutDashboard, IconSearch } from '@tabler/icons-react';
import { Link, useRoute } from 'wouter';
import * as places from '../words/places.js';
import * as words from '../words/shell.js';

const pages = [
  { to: '/', pattern: '/', label: places.overview, icon: IconLayoutDashboard },
  { to: '/inbox', pattern: '/inbox', label: places.inbox, icon: IconInbox },
  {
    to: '/projects',
    pattern: /^\/(?:projects|forms|submissions|destinations)(?:\/|$)/,
    label: places.projects,
    icon: IconFolders,
  },
] as const;

interface PageEntryProps {
  readonly page: (typeof pages)[number];
  /** While the menu covers the page, the menu is the current entry. */
  readonly isCovered: boolean;
}

function PageEntry({ page: { to, pattern, label, icon: Icon }, isCovered }: PageEntryProps) {
  const [isRoute] = useRoute(pattern);
  const isHere = isRoute && !isCovered;
  return (
    <li>
      <Link href={to} aria-current={isHere ? 'page' : undefined}>
        <Icon aria-hidden />
        {label}
      </Link>
    </li>
  );
}

interface BottomBarProps {
  readonly isMenuOpen: boolean;
  readonly onMenu: () => void;
  readonly onSearch: () => void;
}

export const BottomBar = ({ isMenuOpen, onMenu, onSearch }: BottomBarProps) => (
  <ul>
    {pages.map((page) => (
      <PageEntry key={page.to} page={page} isCovered={isMenuOpen} />
    ))}
    <li>
      <UnstyledButton onClick={onSearch}>
        <IconSearch aria-hidden />
        {words.search}
      </UnstyledButton>
    </li>
    <li>
      <UnstyledButton onClick={onMenu} aria-expanded={isMenuOpen}>
        <IconDots aria-hidden />
        {words.more}
      </UnstyledButton>
    </li>
  </ul>
);
