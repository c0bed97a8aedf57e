/** Skeletons in the size of the content to come, so that nothing jumps. */
import { Box, Group, Skeleton, Stack } from '@mantine/core';
import type { ReactNode } from 'react';

const indexes = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** Rows of a dense list. */
export const LoadingRows = ({
  rows = 8,
  height = 36,
}: {
  readonly rows?: number;
  readonly height?: number;
}) => (
  <Box className="list" aria-hidden>
    {indexes(rows).map((row) => (
      <Group key={row} h={height} px="sm" gap="lg" wrap="nowrap">
        <Skeleton h={12} w={`${18 + ((row * 7) % 14)}%`} />
        <Skeleton h={12} w={`${28 + ((row * 11) % 20)}%`} />
        <Skeleton h={12} w={64} ml="auto" />
      </Group>
    ))}
  </Box>
);

/** Fields of a settings page. */
export const LoadingFields = ({ fields = 4 }: { readonly fields?: number }) => (
  <Stack gap="lg" maw="var(--fields-width)" aria-hidden>
    {indexes(fields).map((field) => (
      <Stack key={field} gap={4}>
        <Skeleton h={16} w={144} />
        <Skeleton h="var(--control)" />
      </Stack>
    ))}
  </Stack>
);

/** Shows a list unless given other children. */
export const LoadingPage = ({ children = <LoadingRows /> }: { readonly children?: ReactNode }) => (
  <Stack gap="md" aria-busy="true">
    <Group h="var(--page-head-height)">
      <Skeleton h={28} w={224} />
    </Group>
    {children}
  </Stack>
);
