/** Imports submissions from another service: choose the file, check the columns, import, review what was left out. */
import {
  Alert,
  Button,
  Checkbox,
  Code,
  Group,
  Input,
  List,
  NativeSelect,
  Progress,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { wordsOf } from '../../api.js';
import { useUnsaved } from '../../navigation.js';
import { useForm, useProject } from '../../queries.js';
import { shownCharacters } from '../../ui/hidden-characters.js';
import type { PageProps } from '../../ui/lazy-part.js';
import { LoadingPage } from '../../ui/loading.js';
import { PageHead } from '../../ui/page-head.js';
import { ProblemState } from '../../ui/problem-state.js';
import { saveFile } from '../../ui/save-file.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { ImportReport } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/import.js';
import { ColumnTable } from './column-table.js';
import { type ImportChoices, previewImport, sendImport } from './import-call.js';

const services = [
  { value: '', label: words.anyFile },
  { value: 'formspree', label: 'Formspree' },
  { value: 'web3forms', label: 'Web3Forms' },
  { value: 'formspark', label: 'Formspark' },
  { value: 'basin', label: 'Basin' },
  { value: 'netlify', label: 'Netlify Forms' },
  { value: 'forminit', label: 'Forminit (Getform)' },
  { value: 'formcarry', label: 'formcarry' },
  { value: 'staticforms', label: 'StaticForms' },
  { value: 'formsubmit', label: 'FormSubmit' },
  { value: 'inlet', label: 'Inlet' },
];

const dateOrders = [
  { value: '', label: words.datesDetect },
  { value: 'dmy', label: words.datesDayFirst },
  { value: 'mdy', label: words.datesMonthFirst },
];

const nothingChosen: ImportChoices = {
  source: '',
  map: {},
  dateOrder: '',
  files: false,
  includeSpam: false,
};

const mostErrorsShown = 20;

export function ImportPage({ params }: PageProps) {
  const id = params.id ?? '';
  const form = useForm(id);
  const project = useProject(form.data?.project_id ?? '');
  if (form.isPending) return <LoadingPage />;
  if (form.isLoadingError) return <ProblemState error={form.error} retry={() => void form.refetch()} />;
  return (
    <>
      <PageHead
        title={words.pageTitle}
        trail={[
          { label: common.projects, to: '/projects' },
          { label: project.data?.name ?? '…', to: `/projects/${form.data.project_id}` },
          { label: form.data.name, to: `/forms/${id}` },
        ]}
      >
        <Text size="sm" c="dimmed" maw={720}>
          {words.pageDescription}
        </Text>
      </PageHead>
      <ImportSteps formId={form.data.id} />
    </>
  );
}

function ImportSteps({ formId }: { readonly formId: string }) {
  const queries = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const [choices, setChoices] = useState(nothingChosen);
  const [preview, setPreview] = useState<ImportReport | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [part, setPart] = useState<number | null>(null);
  const [result, setResult] = useState<ImportReport | null>(null);
  const stop = useRef<() => void>(() => {});
  const isRunning = part !== null;

  useEffect(() => {
    if (file === null) return;
    const left = new AbortController();
    previewImport(formId, file, choices, left.signal).then(
      (report) => {
        setPreview(report);
        setFault(null);
      },
      (error: unknown) => {
        if (!left.signal.aborted) setFault(wordsOf(error));
      },
    );
    return () => left.abort();
  }, [formId, file, choices]);
  useEffect(() => () => stop.current(), []);
  useUnsaved(isRunning, words.leaveQuestion);

  const start = (): void => {
    if (file === null) return;
    setFault(null);
    setPart(0);
    const sending = sendImport(formId, file, choices, setPart);
    stop.current = sending.stop;
    sending.done
      .then(setResult, (error: unknown) => setFault(wordsOf(error)))
      .finally(() => {
        stop.current = () => {};
        setPart(null);
        void queries.invalidateQueries();
      });
  };
  const choose = (next: File | null): void => {
    setFile(next);
    setPreview(null);
    setResult(null);
    setFault(null);
    setChoices({ ...nothingChosen, source: choices.source });
  };
  if (result !== null) {
    return <ImportResult formId={formId} report={result} onAgain={() => choose(null)} />;
  }
  return (
    <Stack gap="lg" maw={880}>
      <Group align="flex-end" gap="md">
        <Input.Wrapper id="import-file" label={words.file} description={words.fileDescription}>
          <input
            id="import-file"
            type="file"
            accept=".csv,.json,.jsonl,.ndjson,.tsv,.txt"
            disabled={isRunning}
            onChange={(event) => choose(event.currentTarget.files?.[0] ?? null)}
            className="file-input"
          />
        </Input.Wrapper>
        <NativeSelect
          label={words.madeBy}
          description={words.madeByDescription}
          data={services}
          value={choices.source}
          disabled={isRunning}
          onChange={(event) => setChoices({ ...choices, source: event.currentTarget.value, map: {} })}
        />
      </Group>
      {fault !== null && (
        <Alert color="red" role="alert" title={words.notImported}>
          {shownCharacters(fault)}
        </Alert>
      )}
      {file !== null && preview !== null && (
        <>
          <Stack gap="xs">
            <Title order={2}>{words.columns}</Title>
            <ColumnTable
              columns={preview.columns}
              isDisabled={isRunning}
              onChange={(column, target) =>
                setChoices((now) => ({ ...now, map: { ...now.map, [column]: target } }))
              }
            />
          </Stack>
          <Examples report={preview} />
          <Group align="flex-end" gap="md">
            <NativeSelect
              label={words.dates}
              data={dateOrders}
              value={choices.dateOrder}
              disabled={isRunning}
              onChange={(event) => setChoices({ ...choices, dateOrder: event.currentTarget.value })}
            />
            <Stack gap={8}>
              <Checkbox
                label={words.downloadLinkedFiles}
                checked={choices.files}
                disabled={isRunning}
                onChange={(event) => setChoices({ ...choices, files: event.currentTarget.checked })}
              />
              <Checkbox
                label={words.includeRowsMarkedAsSpam}
                checked={choices.includeSpam}
                disabled={isRunning}
                onChange={(event) => setChoices({ ...choices, includeSpam: event.currentTarget.checked })}
              />
            </Stack>
          </Group>
          {isRunning && (
            <Stack gap={4}>
              <Progress value={100 * part} aria-label={words.progressLabel} />
              <Text size="sm" c="dimmed" role="status">
                {part < 1 ? words.progress(Math.floor(100 * part) / 100, file.size) : words.storingLast}
              </Text>
            </Stack>
          )}
          <Group gap="xs">
            <Button onClick={start} loading={isRunning}>
              {words.importFile}
            </Button>
            {isRunning && (
              <Button variant="default" onClick={() => stop.current()}>
                {words.stop}
              </Button>
            )}
          </Group>
        </>
      )}
    </Stack>
  );
}

function Examples({ report: { examples, errors, warnings } }: { readonly report: ImportReport }) {
  return (
    <Stack gap="xs">
      <Title order={2}>{words.firstRows}</Title>
      {examples.map(({ created_at, data }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change their order
        <Stack key={index} gap={4}>
          <Text size="sm" className="mono">
            {created_at}
          </Text>
          <Code block style={{ maxHeight: 200, overflow: 'auto' }} tabIndex={0}>
            {shownCharacters(JSON.stringify(data, null, 2).slice(0, 4_000))}
          </Code>
        </Stack>
      ))}
      {examples.length === 0 && (
        <Text size="sm" role="status">
          {errors[0] === undefined
            ? words.noneImportable
            : words.noneImportableBecause(errors[0].line, shownCharacters(errors[0].reason))}
        </Text>
      )}
      {warnings.map((warning) => (
        <Alert key={warning} color="yellow" title={words.beforeYouImport}>
          {warning}
        </Alert>
      ))}
    </Stack>
  );
}

interface ImportResultProps {
  readonly formId: string;
  readonly report: ImportReport;
  readonly onAgain: () => void;
}

function ImportResult({ formId, report, onAgain }: ImportResultProps) {
  const { imported, already_there, rejected, spam, errors, files_failed, files_stored, warnings } = report;
  const { rejected_csv } = report;
  return (
    <Stack gap="md" maw={880}>
      <Title order={2} role="status">
        {words.imported(imported)}
      </Title>
      <List size="sm">
        <List.Item>{words.alreadyThere(already_there)}</List.Item>
        <List.Item>{words.rejected(rejected)}</List.Item>
        {spam > 0 && <List.Item>{words.spamLeftOut(spam)}</List.Item>}
        {files_stored + files_failed > 0 && (
          <List.Item>{words.filesStored(files_stored, files_failed)}</List.Item>
        )}
      </List>
      {warnings.map((warning) => (
        <Alert key={warning} color="yellow" title={words.warning}>
          {warning}
        </Alert>
      ))}
      {errors.length > 0 && (
        <Stack gap="xs">
          <Title order={3}>{words.rejectedRows}</Title>
          <List size="sm">
            {errors.slice(0, mostErrorsShown).map(({ line, reason }) => (
              <List.Item key={`${line} ${reason}`}>
                {words.rejectedRow(line, <Untrusted>{reason}</Untrusted>)}
              </List.Item>
            ))}
          </List>
          {rejected > mostErrorsShown && (
            <Text size="sm" c="dimmed">
              {words.moreRejected(rejected - mostErrorsShown)}
            </Text>
          )}
        </Stack>
      )}
      <Group gap="xs">
        <Button component={Link} href={`/forms/${formId}`}>
          {words.showSubmissions}
        </Button>
        {rejected_csv !== null && (
          <Button
            variant="default"
            onClick={() => saveFile(new Blob([rejected_csv], { type: 'text/csv' }), 'rejected-rows.csv')}
          >
            {words.downloadRejectedRows}
          </Button>
        )}
        <Button variant="default" onClick={onAgain}>
          {words.importAnotherFile}
        </Button>
      </Group>
    </Stack>
  );
}
