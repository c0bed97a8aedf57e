/** A menu of the frame: its button is there at once, the menu itself is loaded with the first click, and opens then. */
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
  /** The menu with its button; a part that is loaded when it is first shown. */
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
