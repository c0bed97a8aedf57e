/** The published image of this version. Every file that operators start from must name it. */
import { readFileSync } from 'node:fs';

const file = new URL('../../package.json', import.meta.url);
export const { version }: { readonly version: string } = JSON.parse(readFileSync(file, 'utf8'));

export const ourImage = `ghcr.io/inlet-forms/inlet:${version}`;
