/** Rows from before destinations existed name none; theirs is the webhook of their form or project. */
import type { Delivery } from '../../../model/delivery.js';
import { builtInId } from '../../../model/destination.js';

type Owned = Pick<Delivery, 'destinationId' | 'target' | 'formId' | 'projectId'>;

export const withDestination = <Row extends Owned>(row: Row): Row =>
  row.destinationId === ''
    ? { ...row, destinationId: builtInId(row.target === 'form' ? row.formId : row.projectId, 'webhook') }
    : row;
