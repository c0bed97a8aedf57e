export const ownErrors: Readonly<Record<string, readonly string[]>>;
export const beforeOperations: readonly string[];
export function errorsOf(operation: {
  readonly operationId: string;
  readonly method: string;
  readonly isForVisitors: boolean;
}): { readonly own: readonly string[]; readonly usual: readonly string[] };
