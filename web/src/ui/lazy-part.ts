/** Parts of the dashboard that load when first shown. */
import { type ComponentType, lazy } from 'react';

export interface PageProps {
  readonly params: Readonly<Record<string, string>>;
}

/** React.lazy expects a default export, but components are exported by name. */
export const lazyPart = <Name extends string, Props>(
  load: () => Promise<Readonly<Record<Name, ComponentType<Props>>>>,
  name: Name,
) => lazy(async () => ({ default: (await load())[name] }));
