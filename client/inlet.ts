/**
 * /inlet.js: submits forms that post to this service without leaving their page. It recognizes them by their action when
 * they are submitted, so forms added later work too. Whatever it does not understand is left to the browser. It defines
 * no globals, stores nothing and contacts no third party.
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
  /** Idempotency key: the same content is sent under the same key until it has arrived. */
  key?: string;
  content?: string;
  needsToken?: boolean;
  /** From now on the submission may have arrived. */
  hasLeft?: boolean;
}

type Submitter = HTMLButtonElement | HTMLInputElement | null;

const { currentScript } = document;
// An image named `currentScript` shadows it, and visitors can add images to some pages.
const script = currentScript instanceof HTMLScriptElement ? currentScript : null;
/** A module has no `currentScript`, but in every browser the stack of an error contains its address. */
const moduleAddress = (): string => {
  const [address = ''] = /https?:\S*\/(?=inlet\.js)/.exec(new Error().stack || '') || [];
  return address;
};
const base = script ? script.src.replace(/[^/]*([?#].*)?$/, '') : moduleAddress();
/** Advice for the developer of the page. */
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

/** The address this form posts to, if it is a form of this service. */
function endpointOf(form: HTMLFormElement, submitter: Submitter): string | undefined {
  if (unhidden(form).dataset.inlet === 'off' || settingOf(form, submitter, 'method').toLowerCase() !== 'post')
    return;
  const address = resolve(settingOf(form, submitter, 'action'));
  const [, path = ''] = /^(f\/[^/?#]+)\/?([?#]|$)/.exec(address.slice(base.length)) || [];
  return base && path && address.startsWith(base) ? base + path : undefined;
}

const emit = (form: HTMLFormElement, name: string, detail: object): boolean =>
  unhidden(form).dispatchEvent(new CustomEvent(`inlet:${name}`, { bubbles: true, cancelable: true, detail }));

/** Returns false when no token could be obtained; the service's response then explains what is wrong. */
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

/** Disables the submit buttons. The returned function enables them again. */
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
    // A disabled button loses the focus, and keyboard users would have to start over at the top.
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
  // The service's own messages are in English and meant for the form's owner.
  let said = status === 400 ? detail : status === 403 && !isKnown ? error : '';
  if (status === 413) said = bytes ? `max. ${sizeText(bytes as number)}` : limit ? `max. ${limit}` : error;
  const known = status === 507 ? 503 : status === 422 ? 400 : status;
  const text = textFor(form, isKnown ? code : known, retryAfterSeconds || 60);
  return said ? `${text.replace(/[.。]$/, '')} (${said})` : text;
}

const isCaptcha = ({ code }: Answer['body']): boolean => code === 'captcha_failed';

/** The page to go to next. Attributes of the form element override the form's setting. */
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

/** Shows each error at its input if it has one, and the others below the form. */
function fail(form: HTMLFormElement, answer: Answer): void {
  const errors = Array.isArray(answer.body.fields) ? (answer.body.fields as FieldError[]) : [];
  const { others, first } = showErrors(form, errors);
  const texts = others.map(({ field, message }) => ` ${field}: ${message}`);
  show(form, 'error', unhidden(form).dataset.error || errorText(form, answer) + texts.join(''));
  // Last, because this is what the visitor should see.
  if (first) first.focus();
}

async function send(form: HTMLFormElement, submitter: Submitter, endpoint: string): Promise<void> {
  const memory = memoryOf(form);
  if (memory.isSending) return;
  memory.hasLeft = false;
  const data = new FormData(form);
  if (submitter?.name) data.append(submitter.name, submitter.value);
  // Browsers send the service only the website's origin, not the page.
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
  // The form requires a token and did not get one, or it requires a newer one.
  if (isCaptcha(answer.body) && (await addToken(data, endpoint))) {
    memory.needsToken = true;
    answer = await attempt();
  }
  if (bar) bar.remove();
  memory.isSending = false;
  release();
  resetWidget(form);

  const { body, retryAfterSeconds } = answer;
  // Do not reuse the key once the submission has arrived, or when the service has seen it with other content (409).
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

// On the document, so that it runs after the page's own handlers: what they prevented stays prevented.
document.addEventListener('submit', (event) => {
  const form = event.target as HTMLFormElement;
  const submitter = event.submitter as Submitter;
  const endpoint = event.defaultPrevented ? undefined : endpointOf(form, submitter);
  if (!endpoint) return;
  event.preventDefault();
  send(form, submitter, endpoint).catch(() => {
    // An internal error before anything was sent: let the browser submit the form, as without this script.
    if (!memoryOf(form).hasLeft) unhidden(form).submit();
  });
});

// Starts solving when the visitor begins to fill in the form, so that submitting does not have to wait for it.
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
