/** Parts of the dashboard that are loaded when they are first shown. */
import { type ComponentType, lazy } from 'react';

export interface PageProps {
  readonly params: Readonly<Record<string, string>>;
}

/** Components are exported by name; the loader asks for a default. */
export const lazyPart = <Name extends string, Props>(
  load: () => Promise<Readonly<Record<Name, ComponentType<Props>>>>,
  name: Name,
) => lazy(async () => ({ default: (await load())[name] }));
