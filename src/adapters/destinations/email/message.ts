/**
 * The mail that notifies an owner of a submission. Pure: the same input gives the same mail at every attempt.
 *
 * Its content is written by visitors and owners. No text becomes a header, a second recipient or markup, and the mail
 * stays below 500 kB in any encoding: quoted-printable uses up to three bytes for one.
 */

import { membersOf } from '../../../kernel/json-outline.js';
import type { Language } from '../../../kernel/language.js';
import { humanSize, oneLine } from '../../../kernel/shown-text.js';
import { valueText } from '../../../kernel/value-text.js';
import { type FieldLabels, shownFieldName } from '../../../model/field-labels.js';
import { controlOf, controlsIn } from '../../../model/fields.js';
import { replyToOf } from '../../../model/reply-to.js';
import { senderNameOf } from '../../../model/sender-name.js';
import type { SubmissionMetadata } from '../../../model/submission.js';
import { type MailMessage, ordinaryMail } from '../../../ports/mailer.js';
import type { Fact, Frame, ShownField, ShownFile } from './content.js';
import { fitting } from './fitting.js';
import { fieldHtml, fileHtml, mailHtml, type Rows } from './submission-html.js';
import { fieldText, fileText, mailText } from './submission-text.js';
import { mailWords, writtenCount, writtenTime } from './words.js';

export interface MailedFile {
  readonly id: string;
  readonly field: string;
  readonly filename: string;
  readonly type: string;
  readonly size: number;
  /** The download URL. Only http and https are linked. */
  readonly link: string | null;
  /** An attached file is not linked. */
  readonly isAttached: boolean;
}

export interface SubmissionMailInput {
  readonly mailId: string;
  readonly recipient: string;
  readonly projectName: string;
  readonly formName: string;
  readonly submissionId: string;
  readonly createdAt: number;
  /** The text of a JSON object, as stored (model/fields.ts). */
  readonly data: string;
  readonly labels: FieldLabels;
  readonly files: readonly MailedFile[];
  readonly metadata: SubmissionMetadata;
  /** The submission's page in the dashboard. */
  readonly link: string | null;
  readonly language: Language;
  /** `visitor`, `none` or an address of the owner. */
  readonly replyTo: string;
  readonly fromName: string | null;
  readonly unsubscribeUrl: string | null;
}

const maxSubjectChars = 150;
const maxNameChars = 200;
const maxSenderChars = 80;
const maxFactChars = 400;
const maxLinkChars = 1_000;
/** Per value. The smaller limits apply when the mail is nearly full. */
const maxValueChars = [10_000, 2_000, 200];
const maxFields = 200;
const maxPreviewChars = 140;

/**
 * UTF-8 bytes. With at most 25,000 for the rest, HTML and text together stay below 163,000. Gmail clips HTML at 102 kB
 * and shows the rest behind a link, which happens only with several long values.
 */
const maxFieldBytes = { html: 80_000, text: 36_000 };
const maxFileBytes = { html: 14_000, text: 8_000 };

export function composeSubmissionMail(input: SubmissionMailInput): MailMessage {
  const fields = [...membersOf(input.data)];
  const shown = fields
    .slice(0, maxFields)
    .map(({ name, value }) => ({ name: shownFieldName(input.labels, name, maxNameChars), source: value }));
  const frame = frameOf(
    input,
    shown.slice(0, 3).map(({ source }) => valueText(source, maxPreviewChars).text),
  );
  const fieldRows = fitting(
    shown.map((field) => maxValueChars.map((maxChars) => () => shownField(field, maxChars, frame))),
    { html: fieldHtml, text: fieldText },
    maxFieldBytes,
  );
  const fileRows = fitting(
    input.files.map((file) => [() => shownFile(file, input)]),
    { html: fileHtml, text: fileText },
    maxFileBytes,
  );
  const leftOut = fields.length - fieldRows.html.length;
  const filesLeftOut = input.files.length - fileRows.html.length;
  const rows = (of: 'html' | 'text'): [Rows, Rows] => [
    { rows: fieldRows[of], leftOut },
    { rows: fileRows[of], leftOut: filesLeftOut },
  ];
  return {
    ...ordinaryMail,
    id: input.mailId,
    to: input.recipient,
    shownTo: [input.recipient],
    shownCc: [],
    replyTo: input.replyTo === 'visitor' ? frame.repliesTo : input.replyTo === 'none' ? null : input.replyTo,
    fromName: input.fromName,
    // Groups all mails about one submission, and keeps different submissions from being grouped as a conversation.
    references: input.submissionId,
    unsubscribeUrl: input.unsubscribeUrl,
    subject: oneLine(subjectOf(input, frame), maxSubjectChars),
    text: mailText(frame, ...rows('text')),
    html: mailHtml(frame, ...rows('html')),
  };
}

/** Uses the page's own subject if there is one; the caller reduces it to one line. Netlify's pages use variables. */
function subjectOf(
  { formName, submissionId, metadata }: SubmissionMailInput,
  { language, sender }: Frame,
): string {
  const asked = controlOf(controlsIn(metadata.controlFields), 'subject')?.trim();
  if (asked)
    return asked.replaceAll('%{formName}', () => formName).replaceAll('%{submissionId}', submissionId);
  return sender === null ? mailWords[language].newSubmission(formName) : `${sender}: ${formName}`;
}

function frameOf(input: SubmissionMailInput, firstValues: readonly string[]): Frame {
  const { metadata, language } = input;
  const visitor = replyToOf(input.data, controlOf(controlsIn(metadata.controlFields), 'replyTo'));
  const labels = mailWords[language].facts;
  const facts: readonly Fact[] = [
    { label: labels.from, text: metadata.submittedFrom },
    { label: labels.ip, text: metadata.ip },
    { label: labels.browser, text: metadata.userAgent },
    { label: labels.received, text: new Date(input.createdAt).toISOString() },
    { label: labels.submission, text: input.submissionId },
  ].map(({ label, text }) => ({ label, text: oneLine(text, maxFactChars) }));
  return {
    language,
    recipient: oneLine(input.recipient, maxNameChars),
    projectName: oneLine(input.projectName, maxNameChars),
    formName: oneLine(input.formName, maxNameChars),
    sender: oneLine(senderNameOf(input.data) ?? visitor ?? '', maxSenderChars) || null,
    preview: oneLine(firstValues.filter((value) => value !== '').join(' · '), maxPreviewChars),
    receivedAt: writtenTime(language, input.createdAt),
    repliesTo: input.replyTo === 'visitor' ? visitor : null,
    link: webLink(input.link),
    unsubscribeUrl: webLink(input.unsubscribeUrl),
    facts: facts.filter(({ text }) => text !== ''),
  };
}

function shownField(
  { name, source }: { readonly name: string; readonly source: string },
  maxChars: number,
  { language, link }: Frame,
): ShownField {
  const { text, isCut, cutFrom } = valueText(source, maxChars);
  const value = text.trimEnd();
  const words = mailWords[language];
  const { empty } = words;
  if (!isCut) return { name, value, empty, note: null };
  const whole = cutFrom === null ? null : writtenCount(language, cutFrom);
  const note = words.shortened(writtenCount(language, maxChars), whole);
  return { name, value, empty, note: link === null ? note : note + words.seeAll };
}

function shownFile(file: MailedFile, { language, labels }: SubmissionMailInput): ShownFile {
  const words = mailWords[language];
  const about = [
    oneLine(file.type, 100),
    humanSize(file.size),
    ...(file.field === '' ? [] : [words.field(shownFieldName(labels, file.field, maxNameChars))]),
    ...(file.isAttached ? [words.attached] : []),
  ];
  return {
    filename: oneLine(file.filename, maxNameChars) || file.id,
    about: about.join(', '),
    link: file.isAttached ? null : webLink(file.link),
  };
}

const webLink = (link: string | null): string | null =>
  link !== null && link.length <= maxLinkChars && /^https?:\/\/[^\s\p{Cc}]+$/iu.test(link) ? link : null;
