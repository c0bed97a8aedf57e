/** Formspark: `/{id}`. Its clients check only the status; all its control fields begin with an underscore. */
import { type Dialect, ours } from './dialect.js';

export const formspark: Dialect = { ...ours, name: 'formspark' };
