/** What sandbox mode means while embedding the form, and the switch to live mode. */
import { Anchor, Text } from '@mantine/core';
import { useMay } from '../../may.js';
import { usePatchForm } from '../../queries.js';
import { tellDone, tellFailure } from '../../ui/tell.js';
import type { FormFull } from '../../wire.js';
import * as words from '../../words/sandbox.js';

/** A form created on localhost is in sandbox mode, because a live form rejects submissions from localhost. */
export function SandboxHint({ form }: { readonly form: FormFull }) {
  const patch = usePatchForm(form.id);
  const may = useMay('forms.manage', form.project_id);
  if (form.validation_mode === 'live' || !may) return null;
  return (
    <Text size="sm" c="dimmed">
      {words.sandboxNotice(
        <Anchor
          component="button"
          type="button"
          inherit
          underline="always"
          onClick={() =>
            patch.mutate(
              { validation_mode: 'live' },
              {
                onSuccess: () => tellDone(words.live),
                onError: (error) => tellFailure(words.notLive, error),
              },
            )
          }
        >
          {words.switchToLive}
        </Anchor>,
      )}
    </Text>
  );
}
