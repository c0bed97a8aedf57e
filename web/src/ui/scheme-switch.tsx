/** Opens the colour scheme menu. */
import { ActionIcon } from '@mantine/core';
import { IconCircleHalf2 } from '@tabler/icons-react';
import * as words from '../words/shell.js';
import { lazyPart } from './lazy-part.js';
import { MenuOnDemand } from './menu-on-demand.js';

const SchemeMenu = lazyPart(() => import('./scheme-menu.js'), 'SchemeMenu');

const button = (
  <ActionIcon
    variant="subtle"
    color="gray"
    size="lg"
    aria-label={words.lightOrDark}
    title={words.lightOrDark}
  >
    <IconCircleHalf2 />
  </ActionIcon>
);

export const SchemeSwitch = () => (
  <MenuOnDemand button={button}>
    <SchemeMenu button={button} />
  </MenuOnDemand>
);
