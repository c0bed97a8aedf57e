/** Exports all submissions of a form: shows progress, can be cancelled, and saves a file at the end. */
import { Button, Group, Modal, Progress, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { apiUrl, refusalOf, withSession, wordsOf } from '../../api.js';
import type { ShownFolder } from '../../inbox/filter-params.js';
import { saveFile } from '../../ui/save-file.js';
import { tellDone } from '../../ui/tell.js';
import type { FormFull } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/submissions.js';
import { createRowCount } from './row-count.js';

const csv = { format: 'csv', mimeType: 'text/csv', title: 'CSV' } as const;

/** Excel detects UTF-8 by its byte order mark. */
const kinds = {
  csv: { ...csv, query: { format: 'csv' } },
  excel: { ...csv, query: { format: 'csv', bom: '1' } },
  jsonl: {
    format: 'jsonl',
    mimeType: 'application/jsonl',
    title: words.jsonLines,
    query: { format: 'jsonl' },
  },
} as const;
export type ExportKind = keyof typeof kinds;

interface Progressed {
  readonly bytes: number;
  readonly rows: number;
}

/** Collects the response in one Blob, which browsers store on disk when it is large. */
async function take(
  url: string,
  { format, mimeType }: (typeof kinds)[ExportKind],
  signal: AbortSignal,
  onProgress: (progress: Progressed) => void,
): Promise<{ readonly content: Blob; readonly rows: number }> {
  const answer = await withSession(() => fetch(url, { credentials: 'same-origin', signal }));
  if (!answer.ok || answer.body === null) throw await refusalOf(answer);
  const counter = createRowCount(format);
  const pieces: BlobPart[] = [];
  let held: BlobPart[] = [];
  let heldBytes = 0;
  let bytes = 0;
  const reader = answer.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    counter.add(value);
    bytes += value.byteLength;
    held.push(value);
    heldBytes += value.byteLength;
    if (heldBytes > 8_000_000) {
      pieces.push(new Blob(held));
      held = [];
      heldBytes = 0;
    }
    onProgress({ bytes, rows: counter.rows });
  }
  return { content: new Blob([...pieces, ...held], { type: mimeType }), rows: counter.rows };
}

interface ExportDialogProps {
  readonly form: FormFull;
  /** Null: closed. */
  readonly kind: ExportKind | null;
  /** Null: all folders except spam and trash. */
  readonly folder: ShownFolder | null;
  readonly onClose: () => void;
}

export function ExportDialog({ form, kind, folder, onClose }: ExportDialogProps) {
  const [progress, setProgress] = useState<Progressed>({ bytes: 0, rows: 0 });
  const [fault, setFault] = useState<string | null>(null);
  const [round, setRound] = useState(0);
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });
  const { id, slug } = form;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a further round is a further try
  useEffect(() => {
    if (kind === null) return;
    const wanted = kinds[kind];
    const stop = new AbortController();
    let drawnAt = 0;
    setProgress({ bytes: 0, rows: 0 });
    setFault(null);
    const query = folder === null ? wanted.query : { ...wanted.query, folder };
    take(apiUrl(`/forms/${id}/submissions/export`, query), wanted, stop.signal, (next) => {
      // A fast server sends hundreds of chunks per second.
      if (Date.now() - drawnAt < 100) return;
      drawnAt = Date.now();
      setProgress(next);
    }).then(
      ({ content, rows }) => {
        saveFile(content, `${slug}-submissions-${new Date().toISOString().slice(0, 10)}.${wanted.format}`);
        tellDone(words.exportedAs(rows, content.size));
        close.current();
      },
      (error: unknown) => {
        if (!stop.signal.aborted)
          setFault(
            error instanceof TypeError
              ? words.connectionBroke
              : error instanceof Error
                ? error.message
                : wordsOf(error),
          );
      },
    );
    return () => stop.abort();
  }, [kind, folder, id, slug, round]);
  return (
    <Modal
      opened={kind !== null}
      onClose={onClose}
      title={words.exportAs(kinds[kind ?? 'csv'].title)}
      closeOnClickOutside={false}
    >
      <Stack gap="md">
        {fault === null ? (
          <>
            <Progress value={100} animated aria-label={words.exportLabel} transitionDuration={100} />
            <Text size="sm" c="dimmed" role="status">
              {words.exportProgress(progress.rows, progress.bytes)}
            </Text>
          </>
        ) : (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {words.exportEnded(fault)}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          {fault !== null && <Button onClick={() => setRound(round + 1)}>{common.tryAgain}</Button>}
        </Group>
      </Stack>
    </Modal>
  );
}
