/** The status texts of a submission list. */
import { type FilterParams, isNarrowed, type ShownFolder } from '../../inbox/filter-params.js';
import * as words from '../../words/submissions.js';

interface Newer {
  readonly count: number;
  /** There were more than could be fetched: the last of them may already be the first row of the list. */
  readonly isMore: boolean;
}

export const newerWords = ({ count, isMore }: Newer): string =>
  isMore ? words.newMoreThan(count - 1) : words.newCount(count);

/** The list is complete only when no newer submissions are waiting. */
export function shownWords(shown: number, newer: Newer, hasOlder: boolean): string {
  if (newer.count > 0)
    return newer.isMore
      ? words.shownBelowMoreThan(shown, newer.count - 1)
      : words.shownBelow(shown, newer.count);
  return hasOlder ? words.shownOfMore(shown) : words.shownAll(shown);
}

export const folderNames: Readonly<Record<ShownFolder, string>> = {
  inbox: words.inbox,
  archive: words.archive,
  kept: words.inboxAndArchive,
  spam: words.spam,
  trash: words.trash,
  unconfirmed: words.unconfirmed,
  all: words.allFolders,
};

/** The text for an empty folder. */
export const emptyFolder: Readonly<Record<ShownFolder, string>> = {
  inbox: words.inboxEmpty,
  archive: words.archiveEmpty,
  spam: words.spamEmpty,
  trash: words.trashEmpty,
  unconfirmed: words.unconfirmedEmpty,
  kept: words.keptEmpty,
  all: words.inboxEmpty,
};

/** Names the search, days or state, unless other filters apply too; those are in the chips above. */
export const nothingFits = (params: FilterParams): string =>
  isNarrowed({ ...params, q: '', from: '', to: '', state: null })
    ? words.noSubmissionMatches
    : words.nothingFits({
        hasWords: params.q.trim() !== '',
        hasDays: params.from !== '' || params.to !== '',
        hasState: params.state !== null,
      });
