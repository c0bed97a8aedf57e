/** What the palette offers for some words: what begins with them before what only holds them, the likeliest group first. */
import type { ComponentType } from 'react';
import * as palette from '../words/palette.js';

export type Target =
  /** A path of the dashboard. */
  | { readonly to: string }
  /** A page elsewhere, opened beside this one. */
  | { readonly href: string }
  | { readonly act: () => void };

export interface Entry {
  /** The same at every visit: what was opened lately is remembered by it. */
  readonly key: string;
  readonly label: string;
  /** What it belongs to, such as the project of a form. */
  readonly hint: string;
  /** Further words that find it. */
  readonly alias?: string;
  readonly icon: ComponentType<{ size: number; stroke: number; 'aria-hidden': true }>;
  readonly target: Target;
}

export interface Group {
  readonly name: string;
  readonly entries: readonly Entry[];
  /** Offered only for words that fit: there are too many, or they are seldom wanted. */
  readonly isOnDemand?: boolean;
}

/** Of each group. */
const maxEntries = 6;

const folded = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
const beginsWord = (text: string, part: string): boolean =>
  text.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(part));

/** How far from the best match one part of the words is; null: it is not there at all. */
function distanceOf(part: string, label: string, rest: string): number | null {
  if (label.startsWith(part)) return 0;
  if (beginsWord(label, part)) return 1;
  if (beginsWord(rest, part)) return 2;
  if (label.includes(part)) return 3;
  return rest.includes(part) ? 4 : null;
}

/** 0: the label begins with the words. More: a worse match. null: not all of the words are there. */
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

/** Whether the words speak of the entry itself. The name of a form finds the form, not all of its settings. */
function isMeant(words: string, { label, alias = '' }: Entry): boolean {
  const own = folded(`${label} ${alias}`);
  return folded(words)
    .trim()
    .split(/\s+/)
    .some((part) => beginsWord(own, part));
}

/** Before anything is typed: what was opened lately, then the beginning of each group. */
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
