/** The files of a submission: thumbnail, type, download, and a link to share. */

import {
  ActionIcon,
  Button,
  Group,
  Popover,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Tooltip,
  UnstyledButton,
} from '@mantine/core';
import { IconDownload, IconLink } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, apiUrl, wordsOf } from '../../api.js';
import { useAccount } from '../../queries.js';
import { beginning } from '../../ui/bounded-text.js';
import { CopyButton } from '../../ui/copy-button.js';
import { shownCharacters } from '../../ui/hidden-characters.js';
import { May } from '../../ui/may.js';
import { isPicture } from '../../ui/picture.js';
import { ExactTime } from '../../ui/relative-time.js';
import { Thumbnail } from '../../ui/thumbnail.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { SignedUrl, SubmissionFile } from '../../wire.js';
import { formatBytes } from '../../words/format.js';
import * as words from '../../words/submission.js';
import { fileKind } from './file-kind.js';
import { FileViewer } from './file-viewer.js';

const lives = [
  { value: '3600', label: words.forAnHour },
  { value: '86400', label: words.forADay },
  { value: '604800', label: words.for7Days },
  { value: '2592000', label: words.for30Days },
];

function Share({ file }: { readonly file: SubmissionFile }) {
  const [life, setLife] = useState('86400');
  const make = useMutation({
    mutationFn: () =>
      api.post<SignedUrl>(`/files/${file.id}/signed-url`, {
        expires_in: Number(life),
      }),
  });
  return (
    <Popover position="bottom-end" width={300} trapFocus shadow="md" onClose={make.reset}>
      <Popover.Target>
        <Tooltip label={words.shareALink}>
          <ActionIcon variant="subtle" color="gray" size="md" aria-label={words.shareALink}>
            <IconLink size={16} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <Select
            size="xs"
            label={words.shareFor}
            value={life}
            onChange={(value) => {
              make.reset();
              setLife(value ?? life);
            }}
            data={lives}
            allowDeselect={false}
            comboboxProps={{ withinPortal: false }}
          />
          {make.data === undefined ? (
            <Button size="xs" loading={make.isPending} onClick={() => make.mutate()}>
              {words.createLink}
            </Button>
          ) : (
            <>
              <Text size="xs" className="mono line-clamp" title={make.data.url}>
                {make.data.url}
              </Text>
              <Group justify="space-between" gap="xs">
                <Text size="xs" c="dimmed">
                  {words.sharedUntil(<ExactTime iso={make.data.expires_at} />)}
                </Text>
                <CopyButton value={make.data.url} label={words.copyLink} withWords />
              </Group>
            </>
          )}
          {make.isError && (
            <Text size="xs" c="var(--mantine-color-error)" role="alert">
              {wordsOf(make.error)}
            </Text>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

/** `application/pdf` is shown as PDF. A long type stays as it is, because it says more than its last letters. */
const shortType = (type: string): string => {
  if (type === 'text/plain') return words.plainText;
  const name = /^[a-z]+\/([a-z0-9]{1,5})$/.exec(type)?.[1];
  return name === undefined ? beginning(type, 80) : name.toUpperCase();
};

const Picture = ({ file }: { readonly file: SubmissionFile }) => (
  <Thumbnail file={file} width="100%" height={132} ask={{ w: 480, h: 264 }} />
);

interface FileGridProps {
  readonly files: readonly SubmissionFile[];
  readonly projectId: string;
}

export function FileGrid({ files, projectId }: FileGridProps) {
  const account = useAccount();
  const [place, setPlace] = useState<number | null>(null);
  const means = {
    hasPictures: account.data?.limits.image_transformation === true,
    hasPdfViewer: navigator.pdfViewerEnabled,
  };
  const viewed = files.flatMap((file) => {
    const kind = fileKind(file, means);
    return kind === null ? [] : [{ file, kind }];
  });
  // Next to a card with a picture, a card without one would leave a gap.
  const hasPreviews = viewed.length > 0 || files.some(isPicture);
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2, xl: 3 }} spacing="sm">
        {files.map((file) => {
          const at = viewed.findIndex((each) => each.file === file);
          const name = shownCharacters(beginning(file.filename, 255));
          return (
            <div key={file.id} className="panel" style={{ overflow: 'hidden', minWidth: 0 }}>
              {at < 0 ? (
                hasPreviews && <Picture file={file} />
              ) : (
                <UnstyledButton
                  className="file-opener"
                  aria-label={words.viewFile(name)}
                  onClick={() => setPlace(at)}
                >
                  <Picture file={file} />
                </UnstyledButton>
              )}
              <Group gap={4} wrap="nowrap" p="xs" pl="sm">
                <div style={{ flex: 1, minWidth: 0 }}>
                  <Text size="sm" fw={500} className="line-clamp" title={name}>
                    <Untrusted>{beginning(file.filename, 255)}</Untrusted>
                  </Text>
                  <Text size="xs" c="dimmed" className="line-clamp">
                    <Untrusted>{beginning(file.field, 80)}</Untrusted> · {formatBytes(file.size)} ·{' '}
                    <Untrusted>{shortType(file.type)}</Untrusted>
                  </Text>
                </div>
                <May to="files.manage" of={projectId}>
                  <Share file={file} />
                </May>
                <Tooltip label={words.download}>
                  <ActionIcon
                    component="a"
                    href={apiUrl(`/files/${file.id}/download`)}
                    variant="subtle"
                    color="gray"
                    size="md"
                    aria-label={words.download}
                  >
                    <IconDownload size={16} stroke={1.6} />
                  </ActionIcon>
                </Tooltip>
              </Group>
            </div>
          );
        })}
      </SimpleGrid>
      <FileViewer files={viewed} place={place} onPlace={setPlace} />
    </>
  );
}
