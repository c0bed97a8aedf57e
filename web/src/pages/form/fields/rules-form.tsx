/** What the save bar saves: all rules at once. They need the whole width, so there is no list of sections beside them. */
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { SaveBar } from '../../../ui/save-bar.js';
import type { Settings } from '../../../ui/settings-section.js';
import type { RuleValues } from './rules-state.js';

interface RulesFormProps {
  readonly settings: Settings<RuleValues>;
  readonly children: ReactNode;
}

export function RulesForm({ settings, children }: RulesFormProps) {
  const { form, isChanged, failure, failures, save, discard } = settings;
  const id = useId();
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (failures > 0) element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [failures]);
  return (
    <>
      <form
        id={id}
        ref={element}
        onSubmit={(event) => {
          event.preventDefault();
          if (isChanged) save();
        }}
        noValidate
      >
        {children}
      </form>
      <SaveBar
        formId={id}
        isChanged={isChanged}
        isSaving={form.submitting}
        failure={failure}
        onDiscard={discard}
      />
    </>
  );
}
