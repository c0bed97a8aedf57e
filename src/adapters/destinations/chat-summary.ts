/** The content of a chat message about a submission: clean and limited in length. Each kind does its own escaping. */
import { membersOf } from '../../kernel/json-outline.js';
import { humanSize, humanTime, isBlank, isolated, manyLines, oneLine } from '../../kernel/shown-text.js';
import { nothing, valueText } from '../../kernel/value-text.js';
import { fieldLabels, shownFieldName } from '../../model/field-labels.js';
import type { SubmissionEvent } from '../../ports/destination-kind.js';

export interface SummaryField {
  readonly label: string;
  /** Lines separated by \n; never blank. */
  readonly text: string;
}

export interface SummaryFile {
  readonly name: string;
  readonly size: string;
  readonly link: string;
}

export interface Summary {
  readonly title: string;
  /** Empty when its name is blank. */
  readonly project: string;
  /** "Website · 15 November 2026, 04:02 UTC" */
  readonly about: string;
  readonly fields: readonly SummaryField[];
  readonly files: readonly SummaryFile[];
  /** How many are not shown. Zero or negative when all are. */
  readonly more: { readonly fields: number; readonly files: number };
}

export const openLabel = 'Open submission';

const maxTitleChars = 120;
const maxLabelChars = 80;
const maxFileNameChars = 60;
/** More than any provider shows of one value. */
const maxValueChars = 4_000;

/** Providers reject text that looks empty to them. */
const orElse = (text: string, otherwise: string): string => (isBlank(text) ? otherwise : text);

export function titleOf({ form, isTest }: SubmissionEvent): string {
  return `${isTest ? 'Test: ' : ''}${orElse(oneLine(form.name, maxTitleChars), 'Untitled form')}`;
}

export function summaryOf(
  event: SubmissionEvent,
  most: { readonly fields: number; readonly files: number },
): Summary {
  const labels = fieldLabels(event.form.fields);
  const members = [...membersOf(event.submission.data)];
  const project = orElse(oneLine(event.project.name, maxTitleChars), '');
  const receivedAt = humanTime(event.submission.createdAt);
  return {
    title: titleOf(event),
    project,
    about: project === '' ? receivedAt : `${isolated(project)} · ${receivedAt}`,
    fields: members.slice(0, most.fields).map(({ name, value }) => {
      const { text, isCut } = valueText(value, maxValueChars);
      return {
        label: shownFieldName(labels, name, maxLabelChars),
        text: orElse(`${text.trimEnd()}${isCut ? '…' : ''}`, nothing),
      };
    }),
    files: event.files.slice(0, most.files).map((file) => ({
      name: orElse(oneLine(file.filename, maxFileNameChars), 'file'),
      size: humanSize(file.sizeBytes),
      link: event.fileLink(file.id),
    })),
    more: { fields: members.length - most.fields, files: event.files.length - most.files },
  };
}

/** For example "Not shown: 3 more fields and 1 more file". Returns null when everything is shown. */
export function leftOut({ fields, files }: Summary['more']): string | null {
  const count = (number: number, noun: string): string =>
    number > 0 ? `${number} more ${noun}${number === 1 ? '' : 's'}` : '';
  const parts = [count(fields, 'field'), count(files, 'file')].filter((part) => part !== '');
  return parts.length === 0 ? null : `Not shown: ${parts.join(' and ')}`;
}

/** Renders the template. Visitors' text is cleaned and escaped, the owner's markup stays. Returns null when there is no template. */
export function templateText(event: SubmissionEvent, encode: (text: string) => string): string | null {
  const text = event.renderText((value) => encode(manyLines(value)));
  return text === null
    ? null
    : text
        .toWellFormed()
        .replace(/\r\n?/g, '\n')
        .replace(/[^\P{Cc}\n]/gu, ' ')
        .trim();
}

/** Returns as much of the text as fits once encoded, character by character. Never cuts a character in half. */
export function fitted(text: string, maxChars: number, encode: (text: string) => string): string {
  const whole = encode(text);
  if (whole.length <= maxChars) return whole;
  let shown = '';
  for (const character of text) {
    const encoded = encode(character);
    if (shown.length + encoded.length > maxChars - 1) break;
    shown += encoded;
  }
  return `${shown}…`;
}

/** Fits texts into a shared number of characters: only the longest are shortened, all to the same length. */
export function fittedAll(
  texts: readonly string[],
  max: { readonly together: number; readonly each: number },
  encode: (text: string) => string,
): readonly string[] {
  const lengths = texts.map((text) => Math.min(encode(text).length, max.each)).sort((a, b) => a - b);
  let left = max.together;
  let each = max.each;
  for (const [index, length] of lengths.entries()) {
    const share = Math.floor(left / (lengths.length - index));
    if (length > share) {
      each = share;
      break;
    }
    left -= length;
  }
  return texts.map((text) => fitted(text, each, encode));
}
