/** Links to the documentation that this instance serves: that of its own version, also where there is no internet. */
import { instancePath } from '../page-facts.js';

/** A page by its file below docs/, with a heading if it is meant: `guides/webhooks.md#verify-a-webhook`. */
export type DocumentPlace = `${string}.md` | `${string}.md#${string}`;

export const documentUrl = (place: string): string =>
  `${instancePath}/docs/${place.replace(/(?:(^|\/)index)?\.md/, '$1')}`;

/** The page of errors has a heading for each code. */
export const errorPlace = (code: string): DocumentPlace => `reference/errors.md#${code}`;

interface DocumentLinkProps {
  readonly place: DocumentPlace;
  readonly children: string;
  /** The name for screen readers, where several links of a page have the same words. It begins with them. */
  readonly label?: string | undefined;
}

/** It opens beside the dashboard: what was typed here stays. A plain element, because it is loaded before the first page. */
export const DocumentLink = ({ place, children, label }: DocumentLinkProps) => (
  <a href={documentUrl(place)} target="_blank" rel="noopener" className="document-link" aria-label={label}>
    {children}
  </a>
);
