/** A text for machines, with a button that copies it. */
import { Box } from '@mantine/core';
import { CopyButton } from './copy-button.js';

interface CodeBlockProps {
  readonly code: string;
  readonly label: string;
  readonly maxHeight?: number;
}

export const CodeBlock = ({ code, label, maxHeight = 480 }: CodeBlockProps) => (
  <Box pos="relative">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
    <section className="code" style={{ maxHeight }} tabIndex={0} aria-label={label}>
      <pre>{code}</pre>
    </section>
    <Box pos="absolute" top={8} right={8}>
      <CopyButton value={code} label="Copy" withWords />
    </Box>
  </Box>
);
