/**
 * /inlet-embed.js: makes a frame with a hosted page as tall as the page. The same file runs on both sides: the page reports its
 * height, and the website around it trusts only frames of this service.
 */
const { currentScript } = document;
const script = currentScript instanceof HTMLScriptElement ? currentScript : null;
const base = script ? script.src.replace(/[^/]*([?#].*)?$/, '') : '';
const maxHeight = 20_000;
/** The page may have reported its height before the website ran this script. */
const ask = 'inlet:ask-height';

const framesOf = (): HTMLIFrameElement[] =>
  Array.from(document.querySelectorAll('iframe')).filter(({ src }) => base && src.startsWith(`${base}f/`));

/** Runs in the frame. The page's policy limits which websites may embed it, and its height is no secret. */
function tellHeight(): void {
  const root = document.documentElement;
  root.classList.add('framed');
  const tell = (): void => parent.postMessage({ type: 'inlet:height', height: root.offsetHeight }, '*');
  new ResizeObserver(tell).observe(root);
  addEventListener('message', ({ source, data }) => {
    if (source === parent && data === ask) tell();
  });
}

/** Runs on the website. A message counts only if it comes from the window of a frame with a page of this service, and from its origin. */
function follow({ origin, source, data }: MessageEvent): void {
  if (!base || origin !== new URL(base).origin || !data || data.type !== 'inlet:height') return;
  const { height } = data;
  if (!Number.isInteger(height) || height < 1 || height > maxHeight) return;
  const frame = framesOf().find(({ contentWindow }) => contentWindow === source);
  if (frame) frame.style.height = `${height}px`;
}

if (script && 'frame' in script.dataset) {
  if (parent !== window) tellHeight();
} else {
  addEventListener('message', follow);
  for (const { contentWindow } of framesOf()) if (contentWindow) contentWindow.postMessage(ask, '*');
}
