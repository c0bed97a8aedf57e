/** A sentence with markup in it, whole, so that a translation can order its parts: sentence`Sent to ${url}.` */
import { createElement, Fragment, type ReactNode } from 'react';

export const sentence = (strings: TemplateStringsArray, ...parts: readonly ReactNode[]): ReactNode =>
  createElement(Fragment, null, ...strings.flatMap((string, index) => [string, parts[index]]));
