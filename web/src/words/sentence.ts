/** A complete sentence with markup inside, so that a translation can reorder its parts: sentence`Sent to ${url}.` */
import { createElement, Fragment, type ReactNode } from 'react';

export const sentence = (strings: TemplateStringsArray, ...parts: readonly ReactNode[]): ReactNode =>
  createElement(Fragment, null, ...strings.flatMap((string, index) => [string, parts[index]]));
