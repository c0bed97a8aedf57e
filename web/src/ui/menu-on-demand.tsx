/** A menu of the frame. Its button renders immediately; the menu loads and opens on the first click. */
import {
  cloneElement,
  type HTMLAttributes,
  type ReactElement,
  type ReactNode,
  Suspense,
  useState,
} from 'react';

export type MenuButton = ReactElement<HTMLAttributes<HTMLElement>>;

interface MenuOnDemandProps {
  readonly button: MenuButton;
  /** The menu with its button, loaded when first shown. */
  readonly children: ReactNode;
}

export function MenuOnDemand({ button, children }: MenuOnDemandProps) {
  const [isWanted, setWanted] = useState(false);
  if (isWanted) return <Suspense fallback={button}>{children}</Suspense>;
  return cloneElement(button, {
    onClick: () => setWanted(true),
    'aria-haspopup': 'menu',
    'aria-expanded': false,
  });
}
