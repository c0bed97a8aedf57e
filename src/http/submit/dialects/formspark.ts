/** Formspark: `/{id}`. Its clients look at the status only; its control fields all begin with an underscore. */
import { type Dialect, ours } from './dialect.js';

export const formspark: Dialect = { ...ours, name: 'formspark' };
