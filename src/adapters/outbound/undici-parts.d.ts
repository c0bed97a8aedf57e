/**
 * The two parts of undici that sending needs, by their own files: its front loads everything, fetch and WebSocket among
 * it, which took 50 ms of every start. The version is pinned, and the tests of the sender run on these.
 */
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici';

  // biome-ignore lint/style/noDefaultExport: what it is
  export default Client;
}

declare module 'undici/lib/core/errors.js' {
  import { errors } from 'undici';

  // biome-ignore lint/style/noDefaultExport: what it is
  export default errors;
}
