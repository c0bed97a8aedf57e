/** A list as a table, which scrolls sideways where it is wider than the page. */
import { Table, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import * as common from '../words/common.js';

interface ListTableProps {
  /** Its cells. */
  readonly head: ReactNode;
  /** In pixels. */
  readonly minWidth?: number;
  /** Its rows. */
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

/** Above buttons, whose own words are enough for people who see them. */
export const ActionsHead = () => (
  <Table.Th>
    <VisuallyHidden>{common.actions}</VisuallyHidden>
  </Table.Th>
);
