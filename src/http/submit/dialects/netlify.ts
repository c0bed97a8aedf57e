/** Netlify Forms: pages post to their own site, `POST /`, and name the form in `form-name`. Their scripts check only the status. */
import { formNameFields } from '../../../model/fields.js';
import { type Dialect, ours, steering } from './dialect.js';

export const netlify: Dialect = {
  ...ours,
  name: 'netlify',
  steers: steering([formNameFields.netlify, 'subject']),
};
