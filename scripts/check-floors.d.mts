export function checkHouse(
  root: string,
  clientRoot?: string | null,
  webRoot?: string | null,
): { readonly files: number; readonly faults: readonly string[] };
