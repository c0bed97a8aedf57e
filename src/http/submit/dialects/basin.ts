/** Basin: `/f/{id}.json` responds with JSON, whatever the request accepts. Success and errors look like Inlet's own. */
import { type Dialect, ours } from './dialect.js';

export const basin: Dialect = { ...ours, name: 'basin' };
