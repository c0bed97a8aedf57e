/** Light, dark or the system's scheme, stored in this browser. */
import { Menu, useMantineColorScheme } from '@mantine/core';
import { IconCheck, IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import * as words from '../words/shell.js';
import type { MenuButton } from './menu-on-demand.js';

const schemes = [
  { value: 'light', label: words.light, icon: IconSun },
  { value: 'dark', label: words.dark, icon: IconMoon },
  { value: 'auto', label: words.system, icon: IconDeviceDesktop },
] as const;

export function SchemeMenu({ button }: { readonly button: MenuButton }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end" width={180} withinPortal defaultOpened>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {schemes.map(({ value, label, icon: Icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon />}
            rightSection={value === colorScheme ? <IconCheck aria-label={words.chosen} /> : null}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
