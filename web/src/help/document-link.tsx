/** Links to the documentation served by this instance: it matches the version and works offline. */
import { instancePath } from '../page-facts.js';

/** A page by its path below docs/, optionally with a heading: `guides/webhooks.md#verify-a-webhook`. */
export type DocumentPlace = `${string}.md` | `${string}.md#${string}`;

export const documentUrl = (place: string): string =>
  `${instancePath}/docs/${place.replace(/(?:(^|\/)index)?\.md/, '$1')}`;

/** The error reference has a heading per code. */
export const errorPlace = (code: string): DocumentPlace => `reference/errors.md#${code}`;

interface DocumentLinkProps {
  readonly place: DocumentPlace;
  readonly children: string;
  /** Accessible name, for pages where several links have the same text. Starts with that text. */
  readonly label?: string | undefined;
}

/** Opens in a new tab, so input on this page is not lost. A plain element because it is loaded before the first page. */
export const DocumentLink = ({ place, children, label }: DocumentLinkProps) => (
  <a href={documentUrl(place)} target="_blank" rel="noopener" className="document-link" aria-label={label}>
    {children}
  </a>
);
