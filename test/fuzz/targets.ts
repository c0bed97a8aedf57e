/** Every kind of input that is fuzzed, and how many cases of it are sent before a change is merged. */
import type { Play } from './engine.js';
import { cursors } from './targets/cursors.js';
import { framing } from './targets/framing.js';
import { imageBytes } from './targets/image-bytes.js';
import { imageParameters } from './targets/image-parameters.js';
import { json } from './targets/json.js';
import { management } from './targets/management.js';
import { multipart } from './targets/multipart.js';
import { query } from './targets/query.js';
import { submitHeaders } from './targets/submit-headers.js';
import { tokens } from './targets/tokens.js';
import { urlencoded } from './targets/urlencoded.js';
import { webhookUrls } from './targets/webhook-urls.js';
import type { World } from './world.js';

/** Some also keep a resource open. */
export type ClosingPlay = Play & { close?(): Promise<void> };

export interface Target {
  /** Cases per test run. */
  readonly cases: number;
  prepare(world: World): Promise<ClosingPlay> | ClosingPlay;
}

export const targets: Readonly<Record<string, Target>> = {
  multipart: { cases: 480, prepare: multipart },
  urlencoded: { cases: 720, prepare: urlencoded },
  json: { cases: 720, prepare: json },
  'submit-headers': { cases: 640, prepare: submitHeaders },
  framing: { cases: 320, prepare: framing },
  query: { cases: 600, prepare: query },
  // Few, because a sign-in hashes a password and takes as long as a hundred of the others.
  tokens: { cases: 200, prepare: tokens },
  cursors: { cases: 480, prepare: cursors },
  'image-parameters': { cases: 90, prepare: imageParameters },
  'image-bytes': { cases: 40, prepare: imageBytes },
  'webhook-urls': { cases: 360, prepare: webhookUrls },
  management: { cases: 400, prepare: management },
};
