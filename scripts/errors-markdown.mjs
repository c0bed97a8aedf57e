/** docs/reference/errors.md: the error catalogue, with a section and an anchor for each code. */
import { STATUS_CODES } from 'node:http';

/** What each status means, for readers who have only the number. */
const meanings = {
  400: 'The request is not valid. `code` says why, and `detail` or `details` say where.',
  401: 'The credential is missing or wrong.',
  402: 'The plan of the account does not include this.',
  403: 'The caller may not do this. For a submission: the settings of the form do not allow it.',
  404: 'Nothing with this id exists in the account of the caller.',
  405: 'The path exists, but not with this method.',
  408: 'The request came too slowly.',
  409: 'The current state does not allow this.',
  410: 'It was deleted.',
  412: 'The file is not the one that the request names.',
  413: 'A limit of size or number was exceeded. `limit_bytes` or `limit` in the body is the limit.',
  416: 'The file has no such range.',
  417: 'The request expects something that the service does not know.',
  422: 'The request is valid, but its content cannot be processed.',
  429: 'Too many requests. `Retry-After` says in how many seconds to retry.',
  431: 'The headers of the request are too large.',
  500: 'The service failed.',
  503: 'The service is busy, or something it needs does not respond. `Retry-After` says when to retry.',
  507: 'The service has no space left.',
};

const introduction = `---
title: Errors
description: Every error code with its status, its cause and what to do about it.
order: 2
---

<!-- Generated from src/model/error-catalogue.ts by npm run docs; do not edit. -->

# Errors

Look up an error by its status or by its \`code\`.

Every error response is a JSON object with \`error\`, a text in English, and \`code\`. Texts can change and codes do not, so programs go by the code. Some errors have more fields, named below. Every response has an \`X-Request-Id\`, by which you find the request in the log.

A browser that submits a form without a script gets a page instead, in the language of the visitor.`;

/** The catalogue names pages by their path from the root of the project. */
const linked = (text) => text.replace(/\bdocs\/(\w+\/[\w/-]+\.md)/g, (path, page) => `[${path}](../${page})`);

const section = ([code, { text, cause, remedy }]) =>
  `### ${code}\n\n“${text}”\n\n**Cause**: ${cause}\\\n**What to do**: ${linked(remedy)}`;

export function errorsMarkdown(catalogue, statusOfKind) {
  const entries = Object.entries(catalogue);
  const statuses = [...new Set(entries.map(([, { kind }]) => statusOfKind(kind)))].sort((a, b) => a - b);
  const groups = statuses.map((status) => {
    if (meanings[status] === undefined) throw new Error(`No meaning of ${status}`);
    const codes = entries.filter(([, { kind }]) => statusOfKind(kind) === status);
    return [`## ${status} ${STATUS_CODES[status]}`, meanings[status], ...codes.map(section)].join('\n\n');
  });
  return `${[introduction, ...groups, 'Next: [the API](api/index.md), [submit a form](api/submitting.md).'].join('\n\n')}\n`;
}
