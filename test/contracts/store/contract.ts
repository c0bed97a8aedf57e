/** What every adapter of the store promises: the comments of src/ports/store.ts, as tests. */
import { describe } from 'vitest';
import { accountsContract } from './accounts.js';
import { aliasesContract } from './aliases.js';
import { atRestContract } from './at-rest.js';
import { challengesContract } from './challenges.js';
import { commitContract } from './commit.js';
import { deliveryListContract } from './delivery-list.js';
import { destinationsContract } from './destinations.js';
import { epochContract } from './epoch.js';
import type { MakeHarness } from './harness.js';
import { holdingContract } from './holding.js';
import { inboxContract } from './inbox.js';
import { movingContract } from './moving.js';
import { overviewContract } from './overview.js';
import { processesContract } from './processes.js';
import { projectsAndFormsContract } from './projects-and-forms.js';
import { quarantineContract } from './quarantine.js';
import { storeQueueContract } from './queue.js';
import { readingContract } from './reading.js';
import { readingDataContract } from './reading-data.js';
import { removalContract } from './removal.js';
import { searchingContract } from './searching.js';
import { sendingContract } from './sending.js';
import { sessionsContract } from './sessions.js';
import { talliesContract } from './tallies.js';
import { transactionsContract } from './transactions.js';
import { variantsContract } from './variants.js';

export function storeContract(name: string, make: MakeHarness): void {
  describe(`store: ${name}`, () => {
    accountsContract(make);
    sessionsContract(make);
    projectsAndFormsContract(make);
    aliasesContract(make);
    destinationsContract(make);
    commitContract(make);
    readingContract(make);
    readingDataContract(make);
    searchingContract(make);
    movingContract(make);
    removalContract(make);
    variantsContract(make);
    challengesContract(make);
    quarantineContract(make);
    inboxContract(make);
    talliesContract(make);
    overviewContract(make);
    deliveryListContract(make);
    storeQueueContract(make);
    sendingContract(make);
    holdingContract(make);
    epochContract(make);
    processesContract(make);
    transactionsContract(make);
    atRestContract(make);
  });
}
