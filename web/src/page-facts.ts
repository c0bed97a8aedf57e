/** What the server wrote into the page: the path it lives at, and the word that lets style elements in. */
const fact = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';

/** `/dashboard`, or `/forms/dashboard` where BASE_URL has a path. */
export const dashboardPath = fact('inlet-base');
export const instancePath = dashboardPath.replace(/\/dashboard$/, '');
export const styleNonce = fact('inlet-style-nonce');

// The component that locks scrolling behind dialogs looks here for it.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });
