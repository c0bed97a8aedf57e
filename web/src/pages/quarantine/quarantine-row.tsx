/** A quarantined submission: one line when collapsed, all its data when expanded. */
import './quarantine.css';
import {
  Anchor,
  Box,
  Button,
  Checkbox,
  Group,
  Text,
  ThemeIcon,
  Tooltip,
  UnstyledButton,
} from '@mantine/core';
import { IconArrowRight, IconCheck, IconShieldHalf } from '@tabler/icons-react';
import { memo } from 'react';
import { Link } from 'wouter';
import { beginning } from '../../ui/bounded-text.js';
import { RelativeTime } from '../../ui/relative-time.js';
import { Untrusted, UntrustedLink } from '../../ui/untrusted.js';
import type { SpamItem } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/quarantine.js';
import { FieldList } from '../submission/field-list.js';
import { Summary } from './summary.js';

interface QuarantineRowProps {
  readonly item: SpamItem;
  readonly index: number;
  /** Set when rows of several forms are listed together. */
  readonly formName: string | null;
  readonly mayManage: boolean;
  readonly isActive: boolean;
  readonly isOpen: boolean;
  /** The id of the released submission. */
  readonly releasedAs: string | null;
  readonly isSelected: boolean;
  readonly onSelect: (id: string) => void;
  readonly onToggle: (item: SpamItem) => void;
  readonly onRelease: (item: SpamItem) => void;
  readonly onDelete: (item: SpamItem) => void;
}

function Content({ item }: { readonly item: SpamItem }) {
  const { ip, user_agent, submitted_from } = item.metadata;
  const isEmpty = Object.keys(item.data).length === 0;
  return (
    <Box pr="md" pb="md" pl={{ base: 'md', sm: 80 }} id={`spam-${item.id}`}>
      {isEmpty ? (
        <Text size="sm">{words.noFieldsBeside}</Text>
      ) : (
        <div className="spam-fields">
          <FieldList data={item.data} />
        </div>
      )}
      <Text component="div" size="sm" c="dimmed" mt="sm">
        {submitted_from !== '' && <div>{words.sentFrom(<UntrustedLink text={submitted_from} />)}</div>}
        <div>
          {words.sentBy(
            <Untrusted>{user_agent === '' ? words.unnamedProgram : beginning(user_agent, 500)}</Untrusted>,
            <span className="mono">{ip}</span>,
          )}
        </div>
        {item.files_dropped > 0 && <div>{words.filesDropped(item.files_dropped)}</div>}
      </Text>
    </Box>
  );
}

/** Memoized: a key press that moves the active row re-renders two rows, not all. */
export const QuarantineRow = memo(function QuarantineRow(props: QuarantineRowProps) {
  const { item, index, formName, mayManage, isActive, isOpen, releasedAs, isSelected } = props;
  const { onSelect, onToggle, onRelease, onDelete } = props;
  const isReleased = releasedAs !== null;
  return (
    <li className="row spam-row" data-row={index} data-active={isActive}>
      <div className="spam-head">
        <Checkbox
          size="xs"
          checked={isSelected}
          disabled={isReleased || !mayManage}
          onChange={() => onSelect(item.id)}
          aria-label={words.selectOf(item.created_at)}
        />
        <ThemeIcon variant="light" color={isReleased ? 'green' : 'violet'} size={28} radius="xl" aria-hidden>
          {isReleased ? <IconCheck /> : <IconShieldHalf />}
        </ThemeIcon>
        <Box miw={0}>
          <UnstyledButton
            className="spam-toggle"
            aria-expanded={isOpen}
            aria-controls={`spam-${item.id}`}
            onClick={() => onToggle(item)}
          >
            <Text size="sm" fw={500} className="line-clamp">
              <Summary data={item.data} />
            </Text>
          </UnstyledButton>
          <Text size="sm" c="dimmed" lineClamp={2}>
            {formName !== null && (
              <>
                <Anchor
                  component={Link}
                  href={`/forms/${item.form_id}`}
                  inherit
                  c="inherit"
                  underline="always"
                >
                  <Untrusted>{formName}</Untrusted>
                </Anchor>
                {' · '}
              </>
            )}
            {words.caughtBy(
              <span className="mono">{item.field}</span>,
              <span className="mono">{item.metadata.ip}</span>,
            )}
            {item.files_dropped > 0 && ` · ${words.filesNotStored(item.files_dropped)}`}
          </Text>
        </Box>
        <Text component="div" size="sm" c="dimmed" className="spam-times">
          <RelativeTime iso={item.created_at} />
          <Text component="div" size="xs" c="dimmed">
            {isReleased ? words.released : words.removedAt(<RelativeTime iso={item.expires_at} />)}
          </Text>
        </Text>
        <Group gap="xs" wrap="nowrap" className="spam-actions">
          {isReleased ? (
            <Button
              component={Link}
              href={`/submissions/${releasedAs}`}
              variant="default"
              size="xs"
              rightSection={<IconArrowRight />}
            >
              {words.openSubmission}
            </Button>
          ) : (
            mayManage && (
              <>
                <Tooltip label={words.releaseHint}>
                  <Button variant="default" size="xs" onClick={() => onRelease(item)}>
                    {words.releaseIt}
                  </Button>
                </Tooltip>
                <Button variant="default" size="xs" onClick={() => onDelete(item)}>
                  {common.deleteIt}
                </Button>
              </>
            )
          )}
        </Group>
      </div>
      {isOpen && <Content item={item} />}
    </li>
  );
});
