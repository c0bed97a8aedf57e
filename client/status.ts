/**
 * The status line below a form. Text from the server is set as text, never as markup. Styles are set on the element from
 * script, which no page policy can forbid (no style attribute in markup, no style sheet).
 */
import { unhidden } from './unhidden.js';

const made = new WeakSet<Element>();

function statusOf(form: HTMLFormElement): HTMLElement {
  const own = unhidden(form);
  const placed = own.querySelector<HTMLElement>('[data-inlet-status]');
  if (placed) return placed;
  const status = document.createElement('p');
  made.add(status);
  own.append(status);
  return status;
}

/** `state` is `sending`, `success` or `error`; a page's style sheet can select by it. */
export function show(form: HTMLFormElement, state: string, text: string): HTMLElement {
  const status = statusOf(form);
  if (!status.hasAttribute('role')) status.setAttribute('role', 'status');
  status.dataset.inletStatus = state;
  status.hidden = false;
  status.textContent = text;
  if (made.has(status)) {
    status.style.color =
      state === 'error'
        ? 'var(--inlet-error,#d93036)'
        : state === 'success'
          ? 'var(--inlet-success,#1a8038)'
          : '';
  }
  if (state !== 'sending') status.scrollIntoView({ block: 'nearest' });
  return status;
}

export function addProgress(after: HTMLElement): HTMLProgressElement {
  const bar = document.createElement('progress');
  bar.value = 0;
  bar.setAttribute('aria-label', after.textContent || '');
  bar.style.width = '100%';
  bar.style.accentColor = 'var(--inlet-accent)';
  after.after(bar);
  return bar;
}
