/** The palette's entries for a query: prefix matches before other matches, the best group first. */
import type { ComponentType } from 'react';
import * as palette from '../words/palette.js';

export type Target =
  /** A dashboard path. */
  | { readonly to: string }
  /** A page elsewhere, opened in a new tab. */
  | { readonly href: string }
  | { readonly act: () => void };

export interface Entry {
  /** Stable across visits: recent entries are stored by key. */
  readonly key: string;
  readonly label: string;
  /** What it belongs to, such as the project of a form. */
  readonly hint: string;
  /** Further words that match it. */
  readonly alias?: string;
  readonly icon: ComponentType<{ size: number; stroke: number; 'aria-hidden': true }>;
  readonly target: Target;
}

export interface Group {
  readonly name: string;
  readonly entries: readonly Entry[];
  /** Offered only for matching queries: there are too many, or they are rarely needed. */
  readonly isOnDemand?: boolean;
}

/** Per group. */
const maxEntries = 6;

const folded = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
const beginsWord = (text: string, part: string): boolean =>
  text.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(part));

/** The distance of one query word from the best match. Returns null when it is not contained at all. */
function distanceOf(part: string, label: string, rest: string): number | null {
  if (label.startsWith(part)) return 0;
  if (beginsWord(label, part)) return 1;
  if (beginsWord(rest, part)) return 2;
  if (label.includes(part)) return 3;
  return rest.includes(part) ? 4 : null;
}

/** 0: the label starts with the query. Higher: a worse match. null: some of the words are missing. */
export function rankOf(words: string, { label, hint, alias = '' }: Entry): number | null {
  const wanted = folded(words).trim();
  const [name, rest] = [folded(label), folded(`${hint} ${alias}`)];
  if (name.startsWith(wanted)) return 0;
  let rank = 1;
  for (const part of wanted.split(/\s+/)) {
    const distance = distanceOf(part, name, rest);
    if (distance === null) return null;
    rank += distance;
  }
  return rank;
}

/** Whether the query is about the entry itself. A form's name finds the form, not all of its settings. */
function isMeant(words: string, { label, alias = '' }: Entry): boolean {
  const own = folded(`${label} ${alias}`);
  return folded(words)
    .trim()
    .split(/\s+/)
    .some((part) => beginsWord(own, part));
}

/** For an empty query: recently opened entries, then the start of each group. */
function startingGroups(groups: readonly Group[], recent: readonly string[]): readonly Group[] {
  const all = groups.flatMap(({ entries }) => entries);
  const opened = recent.flatMap((key) => all.find((entry) => entry.key === key) ?? []);
  const rest = groups
    .filter(({ isOnDemand }) => isOnDemand !== true)
    .map(({ name, entries }) => ({
      name,
      entries: entries.filter(({ key }) => !recent.includes(key)).slice(0, maxEntries),
    }));
  return [{ name: palette.recent, entries: opened.slice(0, maxEntries) }, ...rest];
}

function matchingGroups(
  words: string,
  groups: readonly Group[],
  recent: readonly string[],
): readonly Group[] {
  const recency = ({ key }: Entry) => (recent.includes(key) ? recent.indexOf(key) : recent.length);
  return groups
    .map(({ name, entries, isOnDemand }) => {
      const found = entries
        .filter((entry) => isOnDemand !== true || isMeant(words, entry))
        .flatMap((entry) => {
          const rank = rankOf(words, entry);
          return rank === null ? [] : [{ entry, rank }];
        })
        .sort((one, other) => one.rank - other.rank || recency(one.entry) - recency(other.entry))
        .slice(0, maxEntries);
      return { name, entries: found.map(({ entry }) => entry), best: found[0]?.rank ?? 0 };
    })
    .sort((one, other) => one.best - other.best);
}

export const groupsFor = (
  words: string,
  groups: readonly Group[],
  recent: readonly string[],
): readonly Group[] =>
  (words.trim() === '' ? startingGroups(groups, recent) : matchingGroups(words, groups, recent)).filter(
    ({ entries }) => entries.length > 0,
  );
