/** The form of a destination of any kind, new or existing: where, which submissions, what is sent, and retries. */
import { Button, Group, List, Stack, Switch, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { ApiError, wordsOf } from '../../api.js';
import { usePreview, useRecentSubmissions } from '../../destination-queries.js';
import { useUnsaved } from '../../navigation.js';
import type { Owner } from '../../queries.js';
import { checkFields, SaveBar } from '../../ui/save-bar.js';
import { SectionFrame, useFaultFocus } from '../../ui/settings-section.js';
import { WaitingNotice } from '../../ui/waiting-notice.js';
import type { Destination, DestinationPreview, KindName } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/destinations.js';
import { type DestinationDraft, draftFor, type Faults, faultsOf, templateOf } from './destination-draft.js';
import { destinationFaults } from './destination-faults.js';
import { EmailMessage } from './email-message.js';
import { FilterEditor } from './filter-editor.js';
import { filterOf, isFiltered } from './filter-rows.js';
import { KindFields } from './kind-fields.js';
import { lookOf } from './kinds.js';
import { TemplateEditor } from './template-editor.js';

const detailsOf = (error: unknown) => (error instanceof ApiError ? error.details : []);

const countWords = (preview: DestinationPreview | undefined): string => {
  if (preview === undefined) return '';
  if (preview.of === 0) return words.noSubmissionToTry;
  return words.matches(preview.matched, preview.of);
};

/** The preview's result and errors for the two editors. The result is undefined when the preview failed. */
function useLook(owner: Owner, kind: KindName, draft: DestinationDraft) {
  const filter = filterOf(draft.filter);
  const template = templateOf(kind, draft.template);
  const preview = usePreview(
    owner,
    'filter' in filter && 'template' in template ? { kind, ...filter, ...template } : null,
  );
  const faults: Faults = {
    ...destinationFaults(detailsOf(preview.error), draft.config),
    ...('problem' in filter && { filter: filter.problem }),
    ...('problem' in template && { template: template.problem }),
  };
  return { preview: preview.isError ? undefined : preview.data, faults };
}

interface DestinationFormProps {
  readonly owner: Owner;
  readonly kind: KindName;
  /** null: a new destination. */
  readonly stored: Destination | null;
  /** The button's verb: "Add destination". */
  readonly action: string;
  /** Replaces the kind's fields when they are set elsewhere. */
  readonly instead?: ReactNode;
  /** `known` is what the form was filled from. Returns the stored destination. */
  readonly onSave: (draft: DestinationDraft, known: Destination | null) => Promise<Destination>;
}

export function DestinationForm({ owner, kind, stored, action, instead, onSave }: DestinationFormProps) {
  const { title, steps, fields, template } = lookOf(kind);
  const [known, setKnown] = useState(stored);
  const [draft, setDraft] = useState(() => draftFor(kind, stored));
  const [faults, setFaults] = useState<Faults>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [failures, setFailures] = useState(0);
  const element = useFaultFocus(failures);
  const [isSaving, setSaving] = useState(false);
  const seen = useRecentSubmissions(owner).data ?? [];
  const look = useLook(owner, kind, draft);
  const isChanged = JSON.stringify(draft) !== JSON.stringify(draftFor(kind, known));
  const isMoved = known !== null && draft.config.url !== draftFor(kind, known).config.url;
  useUnsaved(isChanged);
  const id = useId();
  const fail = (found: Faults, otherwise: string) => {
    setFaults(found);
    setFailure(Object.keys(found).length > 0 ? checkFields : otherwise);
    setFailures((count) => count + 1);
  };
  const put = (next: DestinationDraft) => {
    setDraft(next);
    setFaults({});
    setFailure(null);
  };
  const change = (changed: Partial<DestinationDraft>) => put({ ...draft, ...changed });
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const found = faultsOf(kind, draft);
    if (Object.keys(found).length > 0) return fail(found, '');
    setSaving(true);
    try {
      const saved = await onSave(draft, known);
      setKnown(saved);
      put(draftFor(kind, saved));
    } catch (error) {
      fail(destinationFaults(detailsOf(error), draft.config), words.notSaved(wordsOf(error)));
    } finally {
      setSaving(false);
    }
  };
  const faultOf = (field: string): string | null => faults[field] ?? look.faults[field] ?? null;
  return (
    <form id={id} ref={element} onSubmit={(event) => void save(event)} noValidate>
      <Stack gap={0} maw={1040}>
        <SectionFrame
          title={words.where}
          words={
            instead ?? (
              <List type="ordered" size="sm" spacing={4} c="dimmed">
                {steps.map((step) => (
                  <List.Item key={step}>{step}</List.Item>
                ))}
              </List>
            )
          }
        >
          <Stack gap="md">
            {instead === undefined ? (
              <>
                <TextInput
                  label={common.name}
                  description={words.nameDescription}
                  placeholder={title}
                  maxLength={200}
                  value={draft.name}
                  onChange={(event) => change({ name: event.currentTarget.value })}
                  error={faults.name}
                />
                <KindFields
                  fields={fields.filter(({ isOfMessage }) => isOfMessage !== true)}
                  values={draft.config}
                  stored={known?.config ?? null}
                  faults={faults}
                  onChange={(key, value) => change({ config: { ...draft.config, [key]: value } })}
                />
                {isMoved && <WaitingNotice waiting={stored?.status.waiting ?? 0} />}
                {faults.config !== undefined && (
                  <Text size="sm" c="var(--mantine-color-error)" role="alert">
                    {faults.config}
                  </Text>
                )}
              </>
            ) : (
              <Text size="sm" className="mono" style={{ overflowWrap: 'anywhere' }}>
                {stored !== null && lookOf(kind).addressOf(stored.config)}
              </Text>
            )}
          </Stack>
        </SectionFrame>
        <SectionFrame title={words.whichSubmissions} words={words.whichSubmissionsDescription}>
          <FilterEditor
            draft={draft.filter}
            seen={seen}
            count={isFiltered(draft.filter) ? countWords(look.preview) : ''}
            error={faultOf('filter')}
            onChange={(filter) => change({ filter })}
          />
        </SectionFrame>
        {kind === 'email' && instead === undefined && (
          <SectionFrame title={words.message} words={words.mailDescription}>
            <EmailMessage
              owner={owner}
              draft={draft}
              faults={faults}
              onChange={(key, value) => change({ config: { ...draft.config, [key]: value } })}
            />
          </SectionFrame>
        )}
        {template !== null && (
          <SectionFrame
            title={words.message}
            words={kind === 'webhook' ? words.webhookMessageDescription : words.messageDescription(title)}
          >
            <TemplateEditor
              value={draft.template}
              form={template}
              seen={seen}
              preview={look.preview?.body ?? null}
              error={faultOf('template')}
              onChange={(own) => change({ template: own })}
            />
          </SectionFrame>
        )}
        <SectionFrame title={words.retries} words={words.retriesDescription}>
          <Stack gap="md">
            <Switch
              label={words.useMyOwnSchedule}
              description={words.useMyOwnScheduleDescription}
              checked={draft.retry.isOwn}
              onChange={(event) => change({ retry: { ...draft.retry, isOwn: event.currentTarget.checked } })}
            />
            {draft.retry.isOwn && (
              <TextInput
                label={words.delaysBetweenAttempts}
                description={words.delaysBetweenAttemptsDescription}
                value={draft.retry.text}
                onChange={(event) => change({ retry: { isOwn: true, text: event.currentTarget.value } })}
                error={faults.retry}
              />
            )}
          </Stack>
        </SectionFrame>
        {stored === null ? (
          <Group gap="xs" className="section-end">
            <Button type="submit" loading={isSaving}>
              {action}
            </Button>
            {failure !== null && (
              <Text size="sm" c="var(--mantine-color-error)" role="alert">
                {failure}
              </Text>
            )}
          </Group>
        ) : (
          <SaveBar
            formId={id}
            isChanged={isChanged}
            isSaving={isSaving}
            failure={failure}
            onDiscard={() => put(draftFor(kind, known))}
          />
        )}
      </Stack>
    </form>
  );
}
