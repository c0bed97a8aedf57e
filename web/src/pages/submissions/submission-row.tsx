/** One submission on one line. On a phone the further columns become a second line below the first. */
import { Anchor, Checkbox, Group, Table, Text } from '@mantine/core';
import { IconPaperclip } from '@tabler/icons-react';
import { memo } from 'react';
import { Link } from 'wouter';
import { previewOf } from '../../ui/bounded-text.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { isPicture, Thumbnail } from '../../ui/thumbnail.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { Submission } from '../../wire.js';
import { WebhookState } from './webhook-state.js';

interface SubmissionRowProps {
  readonly submission: Submission;
  readonly index: number;
  readonly columns: readonly string[];
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly hasFiles: boolean;
  readonly hasDeliveries: boolean;
  /** Null in the list of one form. */
  readonly formName: string | null;
  readonly onSelect: (id: string) => void;
  readonly onOpen: () => void;
}

const Files = ({ files }: { readonly files: Submission['files'] }) => {
  const shown = files.find(isPicture) ?? files[0];
  if (shown === undefined) return null;
  const others = files.length - 1;
  return (
    <Group gap={6} wrap="nowrap">
      {isPicture(shown) ? (
        <Thumbnail file={shown} width={26} height={26} ask={{ w: 96, h: 96 }} />
      ) : (
        <IconPaperclip size={15} stroke={1.6} aria-hidden />
      )}
      <Text span size="xs" c="dimmed">
        {isPicture(shown) ? (others > 0 ? `+${others}` : '') : files.length}
      </Text>
    </Group>
  );
};

export const SubmissionRow = memo(function SubmissionRow(props: SubmissionRowProps) {
  const { submission, index, columns, isActive, isSelected, hasFiles, hasDeliveries, formName } = props;
  const { id, data, files } = submission;
  const [first = '', ...others] = columns.map((column) => previewOf(data[column]));
  const title = first || others.find((text) => text !== '') || previewOf(Object.values(data)[0]);
  return (
    <Table.Tr className="row" data-active={isActive} data-row={index} aria-selected={isSelected}>
      <Table.Td w={38} pr={0}>
        <Checkbox
          className="above"
          size="xs"
          checked={isSelected}
          onChange={() => props.onSelect(id)}
          aria-label={`Select the submission of ${submission.created_at}`}
        />
      </Table.Td>
      <Table.Td>
        <Anchor
          component={Link}
          href={`/submissions/${id}`}
          onClick={props.onOpen}
          className="row-link"
          inherit
          c="inherit"
          fw={500}
        >
          {title === '' ? (
            <Text span inherit c="dimmed">
              {files.length > 0 ? 'Files only' : 'Empty'}
            </Text>
          ) : (
            <Untrusted>{title}</Untrusted>
          )}
        </Anchor>
        <Text size="xs" c="dimmed" hiddenFrom="sm" className="line-clamp">
          {files.length > 0 && (
            <IconPaperclip className="clip" size={12} stroke={1.8} role="img" aria-label="With files" />
          )}
          <Untrusted>{others.filter((text) => text !== '' && text !== title).join(' · ')}</Untrusted>
        </Text>
      </Table.Td>
      {columns.slice(1).map((column, place) => (
        <Table.Td key={column} visibleFrom="sm">
          <Untrusted>{others[place]}</Untrusted>
        </Table.Td>
      ))}
      {formName !== null && (
        <Table.Td visibleFrom="sm" c="dimmed">
          <Untrusted>{formName}</Untrusted>
        </Table.Td>
      )}
      {hasFiles && (
        <Table.Td py={0} visibleFrom="sm">
          <Files files={files} />
        </Table.Td>
      )}
      {hasDeliveries && (
        <Table.Td>
          <WebhookState state={submission.delivery_state ?? null} />
        </Table.Td>
      )}
      <Table.Td ta="right" c="dimmed">
        <RelativeTime iso={submission.created_at} />
      </Table.Td>
    </Table.Tr>
  );
});
