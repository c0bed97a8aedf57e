/**
 * Every way in which the program is broken on purpose. Each names the promise it breaks, the pieces of source that are
 * replaced (each must be there exactly once, so that a list that has fallen behind the code says so), the test
 * that must then fail, and what that test must say: a test that is red for another reason has noticed nothing.
 *
 * `env` makes a long test short: the fault is there in any run.
 */

import { bounding } from './lists/bounding.mjs';
import { connecting } from './lists/connections.mjs';
import { containing } from './lists/containing.mjs';
import { delivering } from './lists/delivering.mjs';
import { fairness } from './lists/fairness.mjs';
import { guarding } from './lists/guarding.mjs';
import { keeping } from './lists/keeping.mjs';
import { moving } from './lists/moving.mjs';
import { operating } from './lists/operating.mjs';
import { proxies } from './lists/proxies.mjs';
import { sharing } from './lists/sharing.mjs';
import { showing } from './lists/showing.mjs';
import { signingIn } from './lists/signing-in.mjs';

export const areas = [
  { title: 'What was accepted is kept', sabotages: keeping },
  { title: 'What was accepted is delivered', sabotages: delivering },
  { title: 'Many processes, PostgreSQL, Redis and S3', sabotages: sharing },
  { title: 'Backup, restore and copy', sabotages: moving },
  { title: 'Strangers', sabotages: guarding },
  { title: 'What only the operator sees, keeps and installs', sabotages: operating },
  { title: 'Secrets, inside addresses and loops', sabotages: containing },
  { title: 'Fairness under pressure', sabotages: fairness },
  { title: 'Signing in', sabotages: signingIn },
  { title: 'The cost of one request', sabotages: bounding },
  { title: 'Proxies and services', sabotages: proxies },
  { title: 'Connections and responses', sabotages: connecting },
  { title: 'What visitors sent, on its way out', sabotages: showing },
];

export const sabotages = areas.flatMap((area) => area.sabotages);
