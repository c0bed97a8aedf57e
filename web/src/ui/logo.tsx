/** The logo and the name. */
import { Group, Text } from '@mantine/core';
import * as common from '../words/common.js';

export const Logo = ({ size = 24 }: { readonly size?: number }) => (
  <Group gap={8} wrap="nowrap">
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="var(--teal-7)" />
      <path
        d="M16 6v11m0 0-5-5m5 5 5-5M7 18v4a4 4 0 0 0 4 4h10a4 4 0 0 0 4-4v-4"
        fill="none"
        stroke="var(--inlet-on-accent)"
        strokeWidth="2.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
    <Text fw={650} fz={size * 0.68} lh={1}>
      {common.product}
    </Text>
  </Group>
);
