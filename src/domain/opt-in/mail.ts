/**
 * The content of the mail that asks for a confirmation: the owner's words or ours. It contains nothing that the visitor wrote,
 * so it cannot be used to send a message to another person.
 */
import type { Clock } from '../../kernel/clock.js';
import { escapeHtml } from '../../kernel/html.js';
import { type Language, languageTags } from '../../kernel/language.js';
import { type Sealer, sha256Hex } from '../../kernel/secrets.js';
import { oneLine } from '../../kernel/shown-text.js';
import type { Letter } from '../../model/letter.js';
import { type OptIn, type OptInMail, optInMailsPerDay } from '../../model/opt-in.js';
import { addressKey } from '../../model/suppression.js';
import { dayOf } from '../../model/tally.js';
import type { FormAndProject, Store } from '../../ports/store.js';
import { parseText, renderText } from '../planning/template.js';
import { optInWords } from './mail-words.js';
import { sealToken } from './tokens.js';

/** What the templates can use. */
interface OptInView {
  readonly confirm_url: string;
  readonly form: { readonly name: string };
  readonly project: { readonly name: string };
}

const maxSubjectChars = 150;
const maxNameChars = 200;

/** English dates put the day first, as in all other mails. */
const dayText = (time: number, language: Language): string =>
  new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : languageTags[language], {
    dateStyle: 'long',
    timeZone: 'UTC',
  }).format(time);

/** Templates are checked when they are saved. Returns null for one that cannot be parsed; ours is used then. */
function rendered(
  template: string | null,
  view: OptInView,
  encode: (value: string) => string,
): string | null {
  const parsed = template === null ? null : parseText(template);
  return parsed && 'template' in parsed ? renderText(parsed.template, view, encode).text : null;
}

const asIs = (value: string): string => value;

function letterOf(optIn: OptIn, { form, project }: FormAndProject, link: string, own: string | null): Letter {
  const words = optInWords[optIn.language];
  const formName = oneLine(form.name, maxNameChars);
  const text = words.text(formName);
  return {
    language: languageTags[optIn.language],
    preview: own === null ? text : oneLine(own, maxNameChars),
    overline: oneLine(project.name, maxNameChars),
    heading: own === null ? words.heading : formName,
    lead: '',
    paragraphs: [own ?? text],
    button: { label: words.button, link },
    footer: [words.expires(dayText(optIn.expiresAt, optIn.language)), words.ignore],
  };
}

/** Follows the form's settings. `link` is the one that confirms. */
export function optInMail(optIn: OptIn, owner: FormAndProject, link: string): OptInMail {
  const { form, project } = owner;
  const setting = form.doubleOptIn;
  const view = { confirm_url: link, form: { name: form.name }, project: { name: project.name } };
  const text = rendered(setting?.text ?? null, view, asIs);
  const subject = rendered(setting?.subject ?? null, view, asIs);
  return {
    optIn,
    accountId: project.accountId,
    subject: oneLine(subject || optInWords[optIn.language].subject(form.name), maxSubjectChars),
    letter: letterOf(optIn, owner, link, text),
    text,
    html: rendered(setting?.html ?? null, view, escapeHtml),
    fromName: setting?.from_name ?? project.name,
    replyTo: setting?.reply_to ?? null,
  };
}

/** Returns null when the submission or its form was deleted. */
export const createOptInMails =
  (deps: { store: Store; sealer: Sealer; baseUrl: string }) =>
  async (submissionId: string): Promise<OptInMail | null> => {
    const optIn = await deps.store.optIns.load(submissionId);
    const owner = optIn && (await deps.store.forms.findWithProject(optIn.formId));
    if (!optIn || !owner) return null;
    return optInMail(optIn, owner, `${deps.baseUrl}/confirm/${sealToken(deps.sealer, optIn)}`);
  };

/** Returns why the address gets no mail now, or null when it gets one, which is then counted. */
export const createOptInLimits =
  (deps: { store: Store; clock: Clock }) =>
  async (
    deliveryId: string,
    destinationId: string,
    { optIn, accountId }: OptInMail,
  ): Promise<string | null> => {
    const { suppressions, mailCaps } = deps.store;
    const [unwanted] = await suppressions.among(accountId, destinationId, [optIn.address]);
    if (unwanted) return `${unwanted.reason}: The address gets no more mails`;
    const cap = {
      key: `confirmation ${sha256Hex(`${accountId} ${addressKey(optIn.address)}`)}`,
      most: optInMailsPerDay,
    };
    const reached = await mailCaps.take(deliveryId, dayOf(deps.clock.now()), [cap]);
    return reached && `address_cap: The address has had ${reached.most} of these mails today`;
  };
