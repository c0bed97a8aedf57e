/**
 * /inlet.js: forms that post to this service are sent without leaving their page. It finds them by their action when
 * they are submitted, so forms that come later count; whatever it does not understand the browser does as always.
 * Nothing is global, nothing is kept, nobody else is asked.
 */
import { bodyOf, fingerprint, hasFiles } from './content.js';
import { clearErrors, type FieldError, showErrors } from './field-errors.js';
import { addProgress, show } from './status.js';
import { hasText, languageOf, textFor } from './texts.js';
import { type Answer, loadSolver, post } from './transport.js';
import { unhidden } from './unhidden.js';
import { resetWidget } from './widgets.js';

interface Memory {
  isSending?: boolean;
  /** Names one sending; the same content goes out under the same key until it has arrived. */
  key?: string;
  content?: string;
  needsToken?: boolean;
  /** From here on it may have arrived. */
  hasLeft?: boolean;
}

type Submitter = HTMLButtonElement | HTMLInputElement | null;

const { currentScript } = document;
// An image named `currentScript` hides it, and visitors can add images to some pages.
const script = currentScript instanceof HTMLScriptElement ? currentScript : null;
/** A module has no `currentScript`; where it was called from stands in the trace of an error, in every browser. */
const moduleAddress = (): string => {
  const [address = ''] = /https?:\S*\/(?=inlet\.js)/.exec(new Error().stack || '') || [];
  return address;
};
const base = script ? script.src.replace(/[^/]*([?#].*)?$/, '') : moduleAddress();
/** To the developer of the page. */
const advise = (text: string): void => {
  // biome-ignore lint/suspicious/noConsole: nobody else reads it, and visitors cannot do anything about it
  console.warn(`inlet.js: ${text}`);
};
if (!base)
  advise('my own address is unknown. Load me from your Inlet: <script src="…/inlet.js" defer></script>');
const memories = new WeakMap<HTMLFormElement, Memory>();

const memoryOf = (form: HTMLFormElement): Memory => {
  const memory = memories.get(form) || {};
  memories.set(form, memory);
  return memory;
};

const settingOf = (form: HTMLFormElement, submitter: Submitter, name: string): string =>
  submitter?.getAttribute(`form${name}`) || unhidden(form).getAttribute(name) || '';

const resolve = (address: string): string => {
  const link = document.createElement('a');
  link.href = address;
  return link.href;
};

/** Where this form posts to, if that is a form of this service. */
function endpointOf(form: HTMLFormElement, submitter: Submitter): string | undefined {
  if (unhidden(form).dataset.inlet === 'off' || settingOf(form, submitter, 'method').toLowerCase() !== 'post')
    return;
  const address = resolve(settingOf(form, submitter, 'action'));
  const [, path = ''] = /^(f\/[^/?#]+)\/?([?#]|$)/.exec(address.slice(base.length)) || [];
  return base && path && address.startsWith(base) ? base + path : undefined;
}

const emit = (form: HTMLFormElement, name: string, detail: object): boolean =>
  unhidden(form).dispatchEvent(new CustomEvent(`inlet:${name}`, { bubbles: true, cancelable: true, detail }));

/** A token may fail to come; then the service says what is to be said. */
const addToken = (data: FormData, endpoint: string): Promise<boolean> =>
  loadSolver(base, script?.nonce)
    .then((solver) => solver(endpoint, true))
    .then(
      (token) => {
        data.set('altcha', token);
        return true;
      },
      () => false,
    );

/** Until it is called back, the form cannot be sent again. */
function hold(form: HTMLFormElement): () => void {
  const focused = document.activeElement;
  const own = unhidden(form);
  const buttons = ([...own.elements] as HTMLButtonElement[]).filter(
    ({ type, disabled }) => type === 'submit' && !disabled,
  );
  for (const button of buttons) button.disabled = true;
  own.setAttribute('aria-busy', 'true');
  return () => {
    for (const button of buttons) button.disabled = false;
    own.removeAttribute('aria-busy');
    // A button that is disabled loses the focus; who uses the keyboard would start over at the top.
    if (focused && document.activeElement === document.body)
      (focused as HTMLElement).focus({ preventScroll: true });
  };
}

const sizeText = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1024)} KB` : `${+(bytes / 1048576).toFixed(1)} MB`;

function errorText(form: HTMLFormElement, { status, body, retryAfterSeconds }: Answer): string {
  const { error, detail, limit, limit_bytes: bytes } = body;
  const code = body.code === 'form_closed' ? 'form_inactive' : body.code;
  const isKnown = hasText(code);
  // What the service says itself is English, and for those who set the form up.
  let said = status === 400 ? detail : status === 403 && !isKnown ? error : '';
  if (status === 413) said = bytes ? `max. ${sizeText(bytes as number)}` : limit ? `max. ${limit}` : error;
  const known = status === 507 ? 503 : status === 422 ? 400 : status;
  const text = textFor(form, isKnown ? code : known, retryAfterSeconds || 60);
  return said ? `${text.replace(/[.。]$/, '')} (${said})` : text;
}

const isCaptcha = ({ code }: Answer['body']): boolean => code === 'captcha_failed';

/** Where the page goes on. What its own attributes say counts before the setting of the form. */
function nextPage(form: HTMLFormElement, { redirect: setting }: Answer): string {
  const { redirect, success, hideOnSuccess } = unhidden(form).dataset;
  const staysHere = success !== undefined || hideOnSuccess !== undefined;
  const target = redirect === undefined ? (staysHere ? '' : setting) : redirect && resolve(redirect);
  return /^https?:/.test(target) ? target : '';
}

function succeed(form: HTMLFormElement, answer: Answer): void {
  const own = unhidden(form);
  const { submission_id: submissionId, files } = answer.body;
  if (!emit(form, 'success', { submissionId, files })) return;
  own.reset();
  const target = nextPage(form, answer);
  if (target) {
    location.assign(target);
    return;
  }
  const status = show(form, 'success', own.dataset.success || textFor(form, 'sent'));
  if ('hideOnSuccess' in own.dataset) {
    if (own.contains(status)) own.after(status);
    own.style.display = 'none';
    status.tabIndex = -1;
    status.focus();
  }
}

/** At the inputs where there are some; what is left is said below the form. */
function fail(form: HTMLFormElement, answer: Answer): void {
  const errors = Array.isArray(answer.body.fields) ? (answer.body.fields as FieldError[]) : [];
  const { others, first } = showErrors(form, errors);
  const texts = others.map(({ field, message }) => ` ${field}: ${message}`);
  show(form, 'error', unhidden(form).dataset.error || errorText(form, answer) + texts.join(''));
  // At last: it is what the visitor is to see.
  if (first) first.focus();
}

async function send(form: HTMLFormElement, submitter: Submitter, endpoint: string): Promise<void> {
  const memory = memoryOf(form);
  if (memory.isSending) return;
  memory.hasLeft = false;
  const data = new FormData(form);
  if (submitter?.name) data.append(submitter.name, submitter.value);
  // Browsers tell the service only which website this is, not which page.
  if (!data.has('_page')) data.set('_page', location.href.split('#')[0] || '');
  const cancel = new AbortController();
  if (!emit(form, 'submit', { formData: data, abort: () => cancel.abort() })) return;

  const content = endpoint + fingerprint(data);
  if (memory.content !== content) memory.key = crypto.getRandomValues(new Uint32Array(4)).join('-');
  memory.content = content;
  memory.isSending = true;
  const release = hold(form);
  clearErrors(form);
  const status = show(form, 'sending', textFor(form, 'sending'));
  const bar = hasFiles(data) ? addProgress(status) : null;
  const attempt = (): Promise<Answer> =>
    post(endpoint, cancel.signal, {
      key: memory.key || '',
      language: languageOf(form),
      body: bodyOf(data, settingOf(form, submitter, 'enctype').toLowerCase() === 'multipart/form-data'),
      onProgress: bar
        ? (loaded, total) => {
            bar.value = loaded / total;
            emit(form, 'progress', { loaded, total });
          }
        : undefined,
    });

  if (memory.needsToken || 'challenge' in unhidden(form).dataset) await addToken(data, endpoint);
  memory.hasLeft = true;
  let answer = await attempt();
  // The form asks for a token that it did not get, or for a newer one.
  if (isCaptcha(answer.body) && (await addToken(data, endpoint))) {
    memory.needsToken = true;
    answer = await attempt();
  }
  if (bar) bar.remove();
  memory.isSending = false;
  release();
  resetWidget(form);

  const { body, retryAfterSeconds } = answer;
  // Neither is sent again under this key: what arrived, and what the service knows under it as something else.
  if (body.success || answer.status === 409) memory.content = '';
  if (body.success) return succeed(form, answer);
  const { error, code, detail, fields } = body;
  if (code === 'origin_not_allowed')
    advise(
      `${endpoint} does not accept submissions from ${location.origin}. ` +
        `Add ${location.hostname} to Allowed origins in the settings of the form or its project: ${base}dashboard`,
    );
  if (emit(form, 'error', { status: answer.status, error, code, detail, fields, retryAfterSeconds }))
    fail(form, answer);
}

// At the document, after the handlers of the page: what they have prevented stays prevented.
document.addEventListener('submit', (event) => {
  const form = event.target as HTMLFormElement;
  const submitter = event.submitter as Submitter;
  const endpoint = event.defaultPrevented ? undefined : endpointOf(form, submitter);
  if (!endpoint) return;
  event.preventDefault();
  send(form, submitter, endpoint).catch(() => {
    // A fault of ours before anything was sent: then the browser sends it, as without us.
    if (!memoryOf(form).hasLeft) unhidden(form).submit();
  });
});

// Starts when the visitor begins to fill in the form, so that nobody waits for the solution when sending.
const begin = ({ target }: Event): void => {
  const form = (target as Element).closest('form');
  const endpoint = form && 'challenge' in unhidden(form).dataset && endpointOf(form, null);
  if (endpoint)
    loadSolver(base, script?.nonce)
      .then((solver) => solver(endpoint, false))
      .catch(() => {});
};
document.addEventListener('focusin', begin);
document.addEventListener('input', begin);
