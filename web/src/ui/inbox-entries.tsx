/** The inbox in the sidebar: folders, saved views and unread counts. */
import { NavLink } from '@mantine/core';
import {
  IconAlertOctagon,
  IconArchive,
  IconBookmark,
  IconInbox,
  IconMail,
  IconStar,
  IconTrash,
  IconUser,
} from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { folders, type InboxPlace, inbox, placeOfView } from '../inbox/places.js';
import { useUnread, useViews } from '../inbox-queries.js';
import { useCoalesced, useLive } from '../live.js';
import { keys, wholeAccount } from '../queries.js';
import { formatNumber } from '../words/format.js';
import * as words from '../words/shell.js';
import { Untrusted } from './untrusted.js';

/** The API stops counting here. */
const mostCounted = 1_000;

/** `12`, or `999+` at the limit. */
export const UnreadCount = ({ count }: { readonly count: number }) => {
  if (count === 0) return null;
  const shown = count >= mostCounted ? words.moreThan(mostCounted - 1) : formatNumber(count);
  return (
    <span className="nav-unread" title={words.unread(shown)}>
      {shown}
    </span>
  );
};

/** Unread counts in total and by form, updated live. */
export function useUnreadCounts(): { readonly total: number; readonly of: (formId: string) => number } {
  const client = useQueryClient();
  const unread = useUnread().data;
  const recount = useCoalesced(() => void client.invalidateQueries({ queryKey: keys.unread }));
  useLive(wholeAccount, { onSubmission: recount, onTouched: recount, onMissed: recount });
  return {
    total: unread?.total ?? 0,
    of: (formId) => unread?.data.find(({ form_id }) => form_id === formId)?.unread ?? 0,
  };
}

interface PlaceEntryProps {
  readonly place: InboxPlace;
  readonly icon: ReactNode;
  readonly isHere: boolean;
  readonly aside?: ReactNode;
  readonly className?: string;
}

const PlaceEntry = ({ place, icon: sign, isHere, aside, className }: PlaceEntryProps) => (
  <NavLink
    component={Link}
    href={place.address}
    active={isHere}
    aria-current={isHere ? 'page' : undefined}
    label={<Untrusted>{place.name}</Untrusted>}
    noWrap
    leftSection={sign}
    rightSection={aside}
    className={`nav-link ${className ?? ''}`}
  />
);

export function InboxEntries({ unread }: { readonly unread: number }) {
  const [path] = useLocation();
  const search = useSearch();
  const here = search === '' ? path : `${path}?${search}`;
  const views = (useViews().data ?? []).map((view) => ({ id: view.id, place: placeOfView(view) }));
  const isOpen = path === '/inbox' || views.some(({ place }) => place.address === here);
  const entry = (place: InboxPlace, sign: ReactNode, key: string = place.address) => (
    <PlaceEntry key={key} place={place} icon={sign} isHere={place.address === here} className="nav-place" />
  );
  return (
    <>
      <PlaceEntry
        place={inbox}
        icon={<IconInbox />}
        isHere={inbox.address === here}
        aside={<UnreadCount count={unread} />}
      />
      {isOpen && (
        <>
          {entry(folders.all, <IconMail />)}
          {entry(folders.starred, <IconStar />)}
          {entry(folders.mine, <IconUser />)}
          {entry(folders.archive, <IconArchive />)}
          {entry(folders.spam, <IconAlertOctagon />)}
          {entry(folders.trash, <IconTrash />)}
          {views.map(({ id, place }) => entry(place, <IconBookmark />, id))}
        </>
      )}
    </>
  );
}
