/** Submissions of another service: choose the file, check what its columns mean, import, see what was left out. */
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
import { useForm, useProject } from '../../queries.js';
import { shownCharacters } from '../../ui/hidden-characters.js';
import type { PageProps } from '../../ui/lazy-part.js';
import { LoadingPage } from '../../ui/loading.js';
import { countOf } from '../../ui/numbers.js';
import { PageHead } from '../../ui/page-head.js';
import { ProblemState } from '../../ui/problem-state.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { ImportReport } from '../../wire.js';
import { formatBytes, formatNumber, formatPercent } from '../../words/format.js';
import { ColumnTable } from './column-table.js';
import { type ImportChoices, previewImport, sendImport } from './import-call.js';

const services = [
  { value: '', label: 'Any CSV or JSON file' },
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
  { value: '', label: 'Detect' },
  { value: 'dmy', label: 'Day first' },
  { value: 'mdy', label: 'Month first' },
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
        title="Import submissions"
        trail={[
          { label: 'Projects', to: '/projects' },
          { label: project.data?.name ?? '…', to: `/projects/${form.data.project_id}` },
          { label: form.data.name, to: `/forms/${id}` },
        ]}
      >
        <Text size="sm" c="dimmed" maw={720}>
          Bring the submissions of another service with their dates. Nothing is delivered, mailed or counted
          as new. You can import the same file again: rows that already exist are skipped.
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
        <Input.Wrapper
          id="import-file"
          label="File"
          description="CSV, JSON or JSON lines, UTF-8, up to 256 MB"
        >
          <input
            id="import-file"
            type="file"
            accept=".csv,.json,.jsonl,.ndjson,.tsv,.txt"
            disabled={isRunning}
            onChange={(event) => choose(event.currentTarget.files?.[0] ?? null)}
            style={{ display: 'block', marginTop: 'var(--space-2)', maxWidth: '100%' }}
          />
        </Input.Wrapper>
        <NativeSelect
          label="Made by"
          data={services}
          value={choices.source}
          disabled={isRunning}
          onChange={(event) => setChoices({ ...choices, source: event.currentTarget.value, map: {} })}
        />
      </Group>
      {fault !== null && (
        <Alert color="red" role="alert" title="The file was not imported">
          {shownCharacters(fault)}
        </Alert>
      )}
      {file !== null && preview !== null && (
        <>
          <Stack gap="xs">
            <Title order={2}>Columns</Title>
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
              label="Dates such as 03/04/2024"
              data={dateOrders}
              value={choices.dateOrder}
              disabled={isRunning}
              onChange={(event) => setChoices({ ...choices, dateOrder: event.currentTarget.value })}
            />
            <Stack gap={8}>
              <Checkbox
                label="Download linked files"
                checked={choices.files}
                disabled={isRunning}
                onChange={(event) => setChoices({ ...choices, files: event.currentTarget.checked })}
              />
              <Checkbox
                label="Include rows marked as spam"
                checked={choices.includeSpam}
                disabled={isRunning}
                onChange={(event) => setChoices({ ...choices, includeSpam: event.currentTarget.checked })}
              />
            </Stack>
          </Group>
          {isRunning && (
            <Stack gap={4}>
              <Progress value={100 * part} aria-label="Part of the file that was imported" />
              <Text size="sm" c="dimmed" role="status">
                {part < 1
                  ? `${formatPercent(Math.floor(100 * part) / 100)} of ${formatBytes(file.size)}`
                  : 'Storing the last rows'}
              </Text>
            </Stack>
          )}
          <Group gap="xs">
            <Button onClick={start} loading={isRunning}>
              Import
            </Button>
            {isRunning && (
              <Button variant="default" onClick={() => stop.current()}>
                Stop
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
      <Title order={2}>First rows</Title>
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
          None of the first rows can be imported like this
          {errors[0] === undefined ? '.' : `: line ${errors[0].line} ${shownCharacters(errors[0].reason)}.`}
        </Text>
      )}
      {warnings.map((warning) => (
        <Alert key={warning} color="yellow" title="Before you import">
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
  const download = (csv: string): void => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([csv], { type: 'text/csv' }));
    link.download = 'rejected-rows.csv';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  };
  return (
    <Stack gap="md" maw={880}>
      <Title order={2} role="status">
        {countOf(imported, 'submission')} imported
      </Title>
      <List size="sm">
        <List.Item>{countOf(already_there, 'row was', 'rows were')} there already</List.Item>
        <List.Item>{countOf(rejected, 'row was', 'rows were')} rejected</List.Item>
        {spam > 0 && <List.Item>{countOf(spam, 'row')} marked as spam left out</List.Item>}
        {files_stored + files_failed > 0 && (
          <List.Item>
            {countOf(files_stored, 'file')} stored, {formatNumber(files_failed)} not
          </List.Item>
        )}
      </List>
      {warnings.map((warning) => (
        <Alert key={warning} color="yellow" title="Please note">
          {warning}
        </Alert>
      ))}
      {errors.length > 0 && (
        <Stack gap="xs">
          <Title order={3}>Rejected rows</Title>
          <List size="sm">
            {errors.slice(0, mostErrorsShown).map(({ line, reason }) => (
              <List.Item key={`${line} ${reason}`}>
                Line {line}: <Untrusted>{reason}</Untrusted>
              </List.Item>
            ))}
          </List>
          {rejected > mostErrorsShown && (
            <Text size="sm" c="dimmed">
              And {formatNumber(rejected - mostErrorsShown)} more.
            </Text>
          )}
        </Stack>
      )}
      <Group gap="xs">
        <Button component={Link} href={`/forms/${formId}`}>
          Show submissions
        </Button>
        {rejected_csv !== null && (
          <Button variant="default" onClick={() => download(rejected_csv)}>
            Download rejected rows
          </Button>
        )}
        <Button variant="default" onClick={onAgain}>
          Import another file
        </Button>
      </Group>
    </Stack>
  );
}
