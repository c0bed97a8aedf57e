/** How much an instance contains. */

import type { Foundation } from '../compose/foundation.js';
import { wholeAccount } from '../model/reach.js';

export interface Contents {
  readonly accounts: number;
  readonly projects: number;
  readonly forms: number;
  readonly submissions: number;
}

export async function contentsOf({ accounts }: Foundation): Promise<Contents> {
  const listed = await accounts.list();
  const sum = { accounts: listed.length, projects: 0, forms: 0, submissions: 0 };
  for (const { id } of listed) {
    const usage = await accounts.usage(wholeAccount(id));
    sum.projects += usage.projects;
    sum.forms += usage.forms;
    sum.submissions += usage.submissions;
  }
  return sum;
}
