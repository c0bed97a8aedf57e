/** Views files one after the other: zoomable images, PDFs in the browser's viewer, text as text. */
import { ActionIcon, Group, Loader, Modal, Skeleton, Stack, Text, Tooltip } from '@mantine/core';
import {
  IconChevronLeft,
  IconChevronRight,
  IconDownload,
  IconZoomIn,
  IconZoomOut,
  type TablerIcon,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { api, apiUrl, wordsOf } from '../../api.js';
import { beginning } from '../../ui/bounded-text.js';
import { shownCharacters } from '../../ui/hidden-characters.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { SubmissionFile } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/submission.js';
import type { FileKind } from './file-kind.js';
import './file-viewer.css';

export interface ViewedFile {
  readonly file: SubmissionFile;
  readonly kind: FileKind;
}

/** In pixels. Larger than most screens, so that zooming shows more. */
const pictureSize = 2_560;
const previewBytes = 64 * 1024;
const zooms = [1, 2, 4] as const;

const nameOf = ({ filename }: SubmissionFile): string => shownCharacters(beginning(filename, 255));

const Tool = (props: {
  readonly label: string;
  readonly icon: TablerIcon;
  readonly isOff?: boolean;
  readonly onClick: () => void;
}) => (
  <Tooltip label={props.label}>
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={props.label}
      disabled={props.isOff ?? false}
      onClick={props.onClick}
    >
      <props.icon size={18} stroke={1.6} />
    </ActionIcon>
  </Tooltip>
);

function Picture({ file, zoom }: { readonly file: SubmissionFile; readonly zoom: number }) {
  const [state, setState] = useState<'loading' | 'shown' | 'failed'>('loading');
  if (state === 'failed') return <Text size="sm">{words.pictureNotShown}</Text>;
  return (
    <>
      {state === 'loading' && <Loader aria-label={words.pictureLoading} />}
      <img
        src={apiUrl(`/files/${file.id}/download`, {
          w: pictureSize,
          h: pictureSize,
          fit: 'contain',
          f: 'webp',
        })}
        alt={nameOf(file)}
        hidden={state === 'loading'}
        data-zoomed={zoom > 1}
        style={zoom > 1 ? { width: `${zoom * 100}%` } : {}}
        onLoad={() => setState('shown')}
        onError={() => setState('failed')}
      />
    </>
  );
}

function TextOf({ file }: { readonly file: SubmissionFile }) {
  const text = useQuery({
    queryKey: ['files', file.id, 'preview'],
    queryFn: ({ signal }) => api.getText(`/files/${file.id}/preview`, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (text.isPending) return <Skeleton h={200} w="100%" />;
  if (text.isError) return <Text size="sm">{wordsOf(text.error)}</Text>;
  return (
    <Stack gap="xs" w="100%">
      {file.size > previewBytes && (
        <Text size="xs" c="dimmed">
          {words.textShown(previewBytes, file.size)}
        </Text>
      )}
      <pre className="viewed-text">
        <Untrusted>{text.data}</Untrusted>
      </pre>
    </Stack>
  );
}

function Content({ viewed: { file, kind }, zoom }: { readonly viewed: ViewedFile; readonly zoom: number }) {
  if (kind === 'picture') return <Picture file={file} zoom={zoom} />;
  if (kind === 'text') return <TextOf file={file} />;
  // The response sandboxes itself. A sandbox attribute here would block the browser's PDF viewer.
  return <iframe src={apiUrl(`/files/${file.id}/preview`)} title={nameOf(file)} />;
}

interface FileViewerProps {
  readonly files: readonly ViewedFile[];
  /** The index of the shown file; null: closed. */
  readonly place: number | null;
  readonly onPlace: (place: number | null) => void;
}

/** Listens on the window: focus moves into a dialog only some time after it opens. */
function useViewerKeys(keys: Readonly<Record<string, () => void>>): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const work = event.ctrlKey || event.metaKey || event.altKey ? undefined : latest.current[event.key];
      if (work === undefined) return;
      event.preventDefault();
      work();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}

function Viewed({ files, viewed, place, onPlace }: FileViewerProps & { viewed: ViewedFile; place: number }) {
  const { file, kind } = viewed;
  const [zoomed, setZoomed] = useState({ id: file.id, step: 0 });
  // Each file starts fitted to the viewer.
  const zoom = zoomed.id === file.id ? zoomed.step : 0;
  const zoomTo = (step: number) => {
    if (kind === 'picture' && step >= 0 && step < zooms.length) setZoomed({ id: file.id, step });
  };
  const goTo = (next: number) => {
    if (next >= 0 && next < files.length) onPlace(next);
  };
  useViewerKeys({
    ArrowLeft: () => goTo(place - 1),
    ArrowRight: () => goTo(place + 1),
    '+': () => zoomTo(zoom + 1),
    '-': () => zoomTo(zoom - 1),
  });
  const several: ReactNode = files.length > 1 && (
    <>
      <Tool
        label={words.previousFile}
        icon={IconChevronLeft}
        isOff={place === 0}
        onClick={() => goTo(place - 1)}
      />
      <Text size="sm" c="dimmed" aria-live="polite">
        {words.placeOf(place + 1, files.length)}
      </Text>
      <Tool
        label={words.nextFile}
        icon={IconChevronRight}
        isOff={place === files.length - 1}
        onClick={() => goTo(place + 1)}
      />
    </>
  );
  return (
    <Modal.Content aria-label={nameOf(file)}>
      <Modal.Header className="viewer-head">
        <Modal.Title className="line-clamp viewer-title">
          <Untrusted>{beginning(file.filename, 255)}</Untrusted>
        </Modal.Title>
        <Group gap={4} wrap="nowrap">
          {several}
          {kind === 'picture' && (
            <>
              <Tool
                label={words.zoomOut}
                icon={IconZoomOut}
                isOff={zoom === 0}
                onClick={() => zoomTo(zoom - 1)}
              />
              <Tool
                label={words.zoomIn}
                icon={IconZoomIn}
                isOff={zoom === zooms.length - 1}
                onClick={() => zoomTo(zoom + 1)}
              />
            </>
          )}
          <Tooltip label={words.download}>
            <ActionIcon
              component="a"
              href={apiUrl(`/files/${file.id}/download`)}
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={words.download}
            >
              <IconDownload size={18} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
          <Modal.CloseButton aria-label={common.close} />
        </Group>
      </Modal.Header>
      <Modal.Body>
        <div className="viewed" key={file.id}>
          <Content viewed={viewed} zoom={zooms[zoom] ?? 1} />
        </div>
      </Modal.Body>
    </Modal.Content>
  );
}

export function FileViewer(props: FileViewerProps) {
  const { files, place, onPlace } = props;
  const viewed = place === null ? undefined : files[place];
  return (
    <Modal.Root opened={viewed !== undefined} onClose={() => onPlace(null)} size="min(75rem, 94vw)" centered>
      <Modal.Overlay />
      {viewed && <Viewed {...props} viewed={viewed} place={place ?? 0} />}
    </Modal.Root>
  );
}
