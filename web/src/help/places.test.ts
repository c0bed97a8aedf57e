import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { helpFor, pageHelp } from './pages.js';
import { sectionPlaces } from './sections.js';

const sources = new URL('../', import.meta.url);
const documents = new URL('../../../docs/', import.meta.url);

/** `document="…"` and `place="…"` in the pages themselves. */
const placesInPages = readdirSync(sources, { encoding: 'utf8', recursive: true })
  .filter((name) => name.endsWith('.tsx'))
  .flatMap((name) =>
    Array.from(
      readFileSync(new URL(name, sources), 'utf8').matchAll(/\b(?:document|place)="([^"]+)"/g),
      ([, place = '']) => place,
    ),
  );

it('leads to pages of the documentation that exist', () => {
  const places = [...pageHelp.map(({ place }) => place), ...sectionPlaces.values(), ...placesInPages];
  const files = [...new Set(places.map((place) => place.replace(/#.*/, '')))];
  expect(files.filter((file) => !existsSync(new URL(file, documents)))).toEqual([]);
  expect(placesInPages.length).toBeGreaterThan(10);
});

it('explains each page by the document about it', () => {
  const places = {
    '/': 'guides/monitoring.md',
    '/projects': 'tutorial/first-form.md',
    '/forms/1': 'tutorial/first-form.md',
    '/forms/1/settings': 'guides/going-live.md',
    '/forms/1/fields': 'guides/fields.md',
    '/forms/1/destinations/new': 'guides/destinations/index.md',
    '/destinations/1': 'guides/destinations/index.md',
    '/projects/1/deliveries': 'explanation/delivery.md',
    '/forms/1/quarantine': 'guides/spam.md',
    '/submissions/1': 'guides/inbox.md',
    '/nowhere': 'tutorial/first-form.md',
  };
  expect(Object.fromEntries(Object.keys(places).map((path) => [path, helpFor(path).place]))).toEqual(places);
});
