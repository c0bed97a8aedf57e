/** What a refusal means to the visitor: what happened, and what they can do now. */
import type { HostedForm } from '../../domain/submissions/hosted-page.js';
import type { Language } from '../../kernel/language.js';
import type { Refusal } from '../../model/errors.js';
import { fieldNotice } from './field-words.js';
import { hostedWords, momentText } from './hosted-words.js';
import { pageNumbers } from './page-numbers.js';
import { type Notice, pageWords } from './page-words.js';

/** The mark on the page: done, possible later, failed. */
export type Mark = 'done' | 'wait' | 'stop';

export interface RefusalNotice extends Notice {
  readonly mark: Mark;
  /** For the developer of the website, in English; the JSON response says the same. */
  readonly detail: string | null;
}

/** Our own texts are shorter, but may quote parts of a body. */
const maxDetailLength = 300;

function sayTooLarge(refusal: Refusal, language: Language): Notice {
  const words = pageWords[language];
  const numbers = pageNumbers(language);
  const { limit_bytes: limitBytes, limit } = refusal.extra;
  if (typeof limitBytes === 'number') {
    return (refusal.code === 'file_too_large' ? words.fileTooLarge : words.tooLarge)(
      numbers.size(limitBytes),
    );
  }
  if (typeof limit !== 'number') return words.invalid;
  const count = numbers.count(limit);
  return refusal.code === 'too_many_files'
    ? words.tooManyFiles(count, limit === 1)
    : words.tooManyParts(count);
}

export function noticeOf(refusal: Refusal, language: Language): RefusalNotice {
  const words = pageWords[language];
  const { retryAfterSeconds: seconds } = refusal;
  const when = (): string => (seconds === undefined ? words.soon : pageNumbers(language).when(seconds));
  const stop = (notice: Notice, detail: unknown = null): RefusalNotice => ({
    ...notice,
    mark: 'stop',
    detail: typeof detail === 'string' ? detail.slice(0, maxDetailLength) : null,
  });
  const wait = (notice: Notice): RefusalNotice => ({ ...notice, mark: 'wait', detail: null });
  switch (refusal.kind) {
    case 'rate_limited':
      return wait(words.rateLimited(when()));
    case 'unavailable':
    case 'storage_full':
      return wait(words.unavailable(when()));
    case 'too_large':
      return stop(sayTooLarge(refusal, language));
    // The visitor cannot fix these two. An owner who tests the form must learn which setting caused it.
    case 'payment_required':
      return stop(words.noFiles, refusal.message);
    case 'forbidden':
      if (refusal.code === 'captcha_failed') return stop(words.captchaFailed);
      if (refusal.code === 'form_inactive' || refusal.code === 'form_closed')
        return stop(words.closed, refusal.message);
      return stop(words.notFromHere, refusal.extra.detail ?? refusal.message);
    case 'request_timeout':
      return stop(words.tooSlow);
    case 'conflict':
      return stop(words.conflict);
    case 'not_found':
    case 'gone':
      return stop(words.notFound);
    case 'method_not_allowed':
      return stop(words.methodNotAllowed);
    default:
      if (refusal.code === 'invalid_fields') return stop(fieldNotice(language));
      return stop(words.invalid, refusal.extra.detail ?? refusal.message);
  }
}

/** For the owner, who opens the page before any visitor does. */
const noFieldsDetail =
  'This form has no rules for its fields. Add some on its Fields tab. They become the inputs of this page.';

/** Shown instead of a hosted page whose form is closed or, if it is open, has no fields. */
export function hostedNotice(
  { closure, opensAt }: Pick<HostedForm, 'closure' | 'opensAt'>,
  language: Language,
): RefusalNotice {
  const words = hostedWords[language];
  if (closure === null) return { ...words.noFields, mark: 'wait', detail: noFieldsDetail };
  return opensAt === null || closure.code !== 'form_closed'
    ? noticeOf(closure, language)
    : { ...words.notOpenYet(momentText(opensAt, language)), mark: 'wait', detail: null };
}
