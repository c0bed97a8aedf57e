/** Light, dark, or as the system wishes; remembered in this browser. */
import { ActionIcon, Menu, Tooltip, useMantineColorScheme } from '@mantine/core';
import { IconCheck, IconCircleHalf2, IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import * as words from '../words/shell.js';

const schemes = [
  { value: 'light', label: words.light, icon: IconSun },
  { value: 'dark', label: words.dark, icon: IconMoon },
  { value: 'auto', label: words.system, icon: IconDeviceDesktop },
] as const;

export function SchemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end" width={180} withinPortal>
      <Menu.Target>
        <Tooltip label={words.lightOrDark}>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={words.lightOrDark}>
            <IconCircleHalf2 />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
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
