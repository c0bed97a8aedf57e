/** The rows of a list of deliveries. */
import { Anchor, Checkbox, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import { beginning, previewOf } from '../../ui/bounded-text.js';
import { causeOf } from '../../ui/delivery-cause.js';
import { shownCharacters } from '../../ui/hidden-characters.js';
import { RelativeTime, useNow } from '../../ui/relative-time.js';
import { SelectAll, type Selection } from '../../ui/selection.js';
import { DeliveryBadge } from '../../ui/state-badge.js';
import { Untrusted } from '../../ui/untrusted.js';
import type { DeliveryRow } from '../../wire.js';
import * as common from '../../words/common.js';
import * as words from '../../words/deliveries.js';
import { lookOf } from '../destinations/kinds.js';
import { nextTryTime } from '../submission/next-try.js';
import { fieldsOf } from '../submissions/columns.js';
import { RetryButton } from './retry-selection.js';

/** Without the protocol, which adds nothing in a list. */
export const shortUrl = (url: string): string => beginning(url.replace(/^https?:\/\//, ''), 200);

const outcomeOf = (row: DeliveryRow): string =>
  row.attempts === 0
    ? words.notTriedYet
    : causeOf({ status: row.last_status, error: row.last_error, duration_ms: undefined });

/** The icon of its kind and its name. */
function DestinationName({ row }: { readonly row: DeliveryRow }) {
  const { icon: Icon, title } = lookOf(row.kind);
  return (
    <>
      <Icon className="clip" aria-label={title} />
      <Untrusted>{beginning(row.name, 100)}</Untrusted>
    </>
  );
}

/** Deliveries of submissions in spam or trash are paused. */
export const isSendable = ({ paused_in }: DeliveryRow): boolean => paused_in === null;

/** The submission, and in a project also its form. */
function Subject({ row, formName }: { readonly row: DeliveryRow; readonly formName: string | null }) {
  const data = row.submission_data ?? {};
  const title = fieldsOf([{ data }])
    .map((field) => previewOf(data[field], 80))
    .find((text) => text !== '');
  return (
    <>
      <Untrusted>{title ?? words.untitled}</Untrusted>
      {formName !== null && (
        <Text span inherit c="dimmed">
          {' · '}
          <Untrusted>{beginning(formName, 80)}</Untrusted>
        </Text>
      )}
    </>
  );
}

/** The result and time of the last attempt. */
const Outcome = ({ row }: { readonly row: DeliveryRow }) => (
  <>
    <Untrusted>{outcomeOf(row)}</Untrusted>
    {row.last_attempt_at !== null && (
      <Text span inherit c="dimmed">
        {' · '}
        <RelativeTime iso={row.last_attempt_at} />
      </Text>
    )}
  </>
);

interface DeliveriesTableProps {
  readonly rows: readonly DeliveryRow[];
  /** The index of the highlighted row. */
  readonly active: number;
  readonly selection: Selection;
  readonly mayManage: boolean;
  /** Null on a form's own list, where the name is obvious. */
  readonly formNameOf: (formId: string) => string | null;
  /** Called before the page of a row's submission opens. */
  readonly onOpen: () => void;
}

export function DeliveriesTable(props: DeliveriesTableProps) {
  const { rows, active, selection, mayManage, formNameOf, onOpen } = props;
  const now = useNow();
  return (
    <div className="list bearing">
      <Table className="dense" verticalSpacing={7}>
        <Table.Thead>
          <Table.Tr h={36}>
            <Table.Th w={38} pr={0}>
              <SelectAll selection={selection}>
                {mayManage && <RetryButton name="ids" ids={selection.chosen} onDone={selection.clear} />}
              </SelectAll>
            </Table.Th>
            <Table.Th>{words.submission}</Table.Th>
            <Table.Th className="delivery-state-column">{words.state}</Table.Th>
            <Table.Th visibleFrom="sm" className="outcome-column">
              {words.lastAttempt}
            </Table.Th>
            <Table.Th visibleFrom="sm">{words.destination}</Table.Th>
            <Table.Th visibleFrom="xl" className="count-column" ta="right">
              {words.attempts}
            </Table.Th>
            <Table.Th visibleFrom="md" className="next-column">
              {words.next}
            </Table.Th>
            <Table.Th visibleFrom="xl" className="time-column" ta="right">
              {common.created}
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, index) => (
            <Table.Tr
              key={row.id}
              className="row"
              data-active={index === active}
              data-row={index}
              aria-selected={selection.has(row.id)}
            >
              <Table.Td w={38} pr={0}>
                <Checkbox
                  className="above"
                  size="xs"
                  checked={selection.has(row.id)}
                  disabled={!isSendable(row)}
                  onChange={() => selection.toggle(row.id)}
                  aria-label={words.selectOf(row.created_at)}
                />
              </Table.Td>
              <Table.Td>
                <Anchor
                  component={Link}
                  href={`/submissions/${row.submission_id}`}
                  onClick={onOpen}
                  className="row-link"
                  inherit
                  c="inherit"
                >
                  <Subject row={row} formName={formNameOf(row.form_id)} />
                </Anchor>
                <Text size="xs" c="dimmed" hiddenFrom="sm" className="line-clamp">
                  <DestinationName row={row} /> · <RelativeTime iso={row.last_attempt_at ?? row.created_at} />{' '}
                  · <Untrusted>{outcomeOf(row)}</Untrusted>
                </Text>
              </Table.Td>
              <Table.Td>
                <DeliveryBadge state={row.state} pausedIn={row.paused_in} />
              </Table.Td>
              <Table.Td visibleFrom="sm">
                <Outcome row={row} />
              </Table.Td>
              <Table.Td visibleFrom="sm" c="dimmed" title={shownCharacters(beginning(row.url, 500))}>
                <DestinationName row={row} /> · <Untrusted>{shortUrl(row.url)}</Untrusted>
              </Table.Td>
              <Table.Td visibleFrom="xl" ta="right">
                {row.attempts}
              </Table.Td>
              <Table.Td visibleFrom="md" c="dimmed">
                {isSendable(row) && nextTryTime(row, now)}
              </Table.Td>
              <Table.Td visibleFrom="xl" ta="right" c="dimmed">
                <RelativeTime iso={row.created_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
