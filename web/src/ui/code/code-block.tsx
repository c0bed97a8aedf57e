/** Code to copy, with syntax colours. The button is beside it where there is room, else above it. */
import * as common from '../../words/common.js';
import { CopyButton } from '../copy-button.js';
import './code-block.css';
import { tokensOf } from './tokens.js';

interface CodeBlockProps {
  readonly code: string;
  readonly label: string;
  readonly language: string;
}

export const CodeBlock = ({ code, label, language }: CodeBlockProps) => (
  <div className="code">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
    <section tabIndex={0} aria-label={label}>
      <pre>
        <code>
          {tokensOf(code, language).map(({ meaning, text }, place) =>
            meaning === 'plain' ? (
              text
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have no other name than their place
              <span key={place} className={`code-${meaning}`}>
                {text}
              </span>
            ),
          )}
        </code>
      </pre>
    </section>
    <CopyButton value={code} label={common.copy} withWords />
  </div>
);
