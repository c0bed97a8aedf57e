/** What a list of submissions says of itself. */
import { type FilterParams, isNarrowed, type ShownFolder } from '../../inbox/filter-params.js';
import * as words from '../../words/submissions.js';

interface Newer {
  readonly count: number;
  /** There are more than could be looked at: the last of them may be the first of the list. */
  readonly isMore: boolean;
}

export const newerWords = ({ count, isMore }: Newer): string =>
  isMore ? words.newMoreThan(count - 1) : words.newCount(count);

/** They are all only while nothing newer waits to be shown. */
export function shownWords(shown: number, newer: Newer, hasOlder: boolean): string {
  if (newer.count > 0)
    return newer.isMore
      ? words.shownBelowMoreThan(shown, newer.count - 1)
      : words.shownBelow(shown, newer.count);
  return hasOlder ? words.shownOfMore(shown) : words.shownAll(shown);
}

/** What the folders are called. */
export const folderNames: Readonly<Record<ShownFolder, string>> = {
  inbox: words.inbox,
  archive: words.archive,
  kept: words.inboxAndArchive,
  spam: words.spam,
  trash: words.trash,
  unconfirmed: words.unconfirmed,
  all: words.allFolders,
};

/** What is shown of a folder when nothing is in it. */
export const emptyFolder: Readonly<Record<ShownFolder, string>> = {
  inbox: words.inboxEmpty,
  archive: words.archiveEmpty,
  spam: words.spamEmpty,
  trash: words.trashEmpty,
  unconfirmed: words.unconfirmedEmpty,
  kept: words.keptEmpty,
  all: words.inboxEmpty,
};

/** Names what was asked for, unless more narrows it, which stands in the chips above. */
export const nothingFits = (params: FilterParams): string =>
  isNarrowed({ ...params, q: '', from: '', to: '', state: null })
    ? words.noSubmissionMatches
    : words.nothingFits({
        hasWords: params.q.trim() !== '',
        hasDays: params.from !== '' || params.to !== '',
        hasState: params.state !== null,
      });
