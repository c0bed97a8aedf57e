/** Managing the account's labels. */
import type { LabelColor } from '../wire.js';

export const manageLabels = 'Manage labels';
export const labels = 'Labels';
export const noLabels = 'Nobody has created a label yet. Labels sort submissions by topic.';
export const labelsOfAll = 'Everybody in the account has these labels.';
export const nameOf = (label: string): string => `Name of ${label}`;
export const notRenamed = 'The label was not renamed';

// Create
export const newLabel = 'New label';
export const createLabel = 'Create label';
export const notCreated = 'The label was not created';

// Colour
export const colorOf = (label: string, color: string): string => `Colour of ${label}: ${color}`;
export const colorSet = 'Set';
export const notRecolored = 'The colour was not changed';
export const colors: Readonly<Record<LabelColor, string>> = {
  blue: 'Blue',
  gray: 'Grey',
  green: 'Green',
  orange: 'Orange',
  pink: 'Pink',
  red: 'Red',
  violet: 'Violet',
  yellow: 'Yellow',
};

// Delete
export const deleteNamed = (label: string): string => `Delete ${label}`;
export const deleteLabel = 'Delete label';
export const deleteLabelWarning = (label: string): string =>
  `“${label}” is taken off all submissions. The submissions stay.`;
export const deleted = 'Label deleted';
export const notDeleted = 'The label was not deleted';
