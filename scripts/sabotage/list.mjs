/**
 * Every way in which the program is broken on purpose. Each has the promise it breaks, the pieces of source that are replaced
 * (each must occur exactly once, so that an outdated entry is noticed), the test that must then fail, and its message: a test
 * that fails for another reason has noticed nothing.
 *
 * `env` shortens a long test: the fault shows in any run.
 */

import { auditing } from './lists/auditing.mjs';
import { bounding } from './lists/bounding.mjs';
import { connecting } from './lists/connections.mjs';
import { containing } from './lists/containing.mjs';
import { delivering } from './lists/delivering.mjs';
import { destinations } from './lists/destinations.mjs';
import { fairness } from './lists/fairness.mjs';
import { guarding } from './lists/guarding.mjs';
import { inbox } from './lists/inbox.mjs';
import { keeping } from './lists/keeping.mjs';
import { moving } from './lists/moving.mjs';
import { operating } from './lists/operating.mjs';
import { persons } from './lists/persons.mjs';
import { proxies } from './lists/proxies.mjs';
import { ofRoles } from './lists/roles.mjs';
import { sharing } from './lists/sharing.mjs';
import { showing } from './lists/showing.mjs';
import { signingIn } from './lists/signing-in.mjs';
import { switching } from './lists/switching.mjs';

export const areas = [
  { title: 'Accepted submissions are stored', sabotages: keeping },
  { title: 'Accepted submissions are delivered', sabotages: delivering },
  { title: 'Destinations', sabotages: destinations },
  { title: 'The inbox', sabotages: inbox },
  { title: 'Many processes, PostgreSQL, Redis and S3', sabotages: sharing },
  { title: 'Backup, restore and copy', sabotages: moving },
  { title: 'Untrusted clients', sabotages: guarding },
  { title: 'Operators', sabotages: operating },
  { title: 'Secrets, internal addresses and loops', sabotages: containing },
  { title: 'Fairness under pressure', sabotages: fairness },
  { title: 'Signing in', sabotages: signingIn },
  { title: 'Roles', sabotages: ofRoles },
  { title: 'Privacy requests', sabotages: persons },
  { title: 'The audit log', sabotages: auditing },
  { title: 'Switching from other services', sabotages: switching },
  { title: 'The cost of one request', sabotages: bounding },
  { title: 'Proxies and services', sabotages: proxies },
  { title: 'Connections and responses', sabotages: connecting },
  { title: 'Visitor content on its way out', sabotages: showing },
];

export const sabotages = areas.flatMap((area) => area.sabotages);
