/** API keys. */
import { IconKey } from '@tabler/icons-react';
import { NothingYet } from '../../ui/nothing-yet.js';
import { PageHead } from '../../ui/page-head.js';

export function ApiKeysPage() {
  return (
    <>
      <PageHead title="API keys" />
      <NothingYet icon={<IconKey size={28} stroke={1.5} />} title="Keys for programs">
        Programs use a key to read submissions and to change forms. Make one with the command inlet keys
        create.
      </NothingYet>
    </>
  );
}
