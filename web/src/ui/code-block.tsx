/** A text for machines, with a button that copies it: beside the text where there is room, else above it. */
import { CopyButton } from './copy-button.js';

interface CodeBlockProps {
  readonly code: string;
  readonly label: string;
  readonly maxHeight?: number;
}

export const CodeBlock = ({ code, label, maxHeight = 480 }: CodeBlockProps) => (
  <div className="code">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
    <section style={{ maxHeight }} tabIndex={0} aria-label={label}>
      <pre>{code}</pre>
    </section>
    <CopyButton value={code} label="Copy" withWords />
  </div>
);
