import { type Static, Type } from 'typebox';
import { exactly } from './shapes.js';

/** Lists of projects and forms return everything unless a limit is given. */
export const PageQuery = exactly({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
});
export type PageQuery = Static<typeof PageQuery>;
