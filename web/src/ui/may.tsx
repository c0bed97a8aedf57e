/** Renders its children only for users with the permission. */
import type { ReactNode } from 'react';
import type { Permission } from '../../../src/model/permission.js';
import { useMay } from '../may.js';

interface MayProps {
  readonly to: Permission;
  /** The id of the project concerned. */
  readonly of?: string | undefined;
  readonly children: ReactNode;
}

export const May = ({ to, of, children }: MayProps) => (useMay(to, of) ? children : null);
