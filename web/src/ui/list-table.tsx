/** A list as a table that scrolls sideways when it is wider than the page. */
import { Table, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import * as common from '../words/common.js';

interface ListTableProps {
  /** The header cells. */
  readonly head: ReactNode;
  /** In pixels. */
  readonly minWidth?: number;
  /** The rows. */
  readonly children: ReactNode;
}

export const ListTable = ({ head, minWidth = 300, children }: ListTableProps) => (
  <Table.ScrollContainer type="native" minWidth={minWidth} className="list">
    <Table>
      <Table.Thead>
        <Table.Tr>{head}</Table.Tr>
      </Table.Thead>
      <Table.Tbody>{children}</Table.Tbody>
    </Table>
  </Table.ScrollContainer>
);

/** Header of a column of buttons. Hidden, because their labels are enough for sighted users. */
export const ActionsHead = () => (
  <Table.Th>
    <VisuallyHidden>{common.actions}</VisuallyHidden>
  </Table.Th>
);
