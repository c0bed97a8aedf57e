/** The published image, as every file that operators start from must name it: the version is that of the chart. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const file = new URL('../../deploy/helm/inlet/Chart.yaml', import.meta.url);
const chart: { readonly version: string; readonly appVersion: string } = parse(readFileSync(file, 'utf8'));

export const ourImage = `ghcr.io/inlet-forms/inlet:${chart.appVersion}`;
