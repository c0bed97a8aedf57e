import { Type } from 'typebox';

/** Every error body: `error`, and for some statuses more. */
export const Problem = Type.Object(
  {
    error: Type.String(),
    details: Type.Optional(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }))),
    detail: Type.Optional(Type.String()),
    retry_after: Type.Optional(Type.Integer()),
    upgrade_url: Type.Optional(Type.String()),
    your_ip: Type.Optional(Type.String()),
    limit: Type.Optional(Type.Integer()),
    limit_bytes: Type.Optional(Type.Integer()),
  },
  { additionalProperties: true },
);
