/** Facts the server wrote into the page: its base path and the nonce for style elements. */
const fact = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';

/** `/dashboard`, or `/forms/dashboard` where BASE_URL has a path. */
export const dashboardPath = fact('inlet-base');
export const instancePath = dashboardPath.replace(/\/dashboard$/, '');
export const styleNonce = fact('inlet-style-nonce');

// The scroll lock behind dialogs (react-remove-scroll) reads the nonce here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });
