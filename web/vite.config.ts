/** The dashboard's build: to dist/web, with content hashes in file names. */
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const references = /(?:href|src)="([^"]+)"|url\(["']?([^"')]+)/g;

/**
 * Fails the build when a referenced font or image is missing. Vite only warns about it in a style sheet, says nothing about it in the
 * page, and leaves the source path, which is a 404 for every user of the dashboard.
 */
const everyReferenceIsBuilt = (): Plugin => ({
  name: 'every-reference-is-built',
  writeBundle(_, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== 'asset' || !/\.(?:html|css)$/.test(file.fileName)) continue;
      for (const [, inPage, inStyle] of String(file.source).matchAll(references)) {
        const reference = inPage ?? inStyle ?? '';
        if (/^(?:#|data:)/.test(reference)) continue;
        const { pathname } = new URL(reference, `http://dashboard/${file.fileName}`);
        if (!(pathname.slice(1) in bundle))
          this.error(`${file.fileName} names ${reference}, which is not in the build.`);
      }
    }
  },
});

// biome-ignore lint/style/noDefaultExport: the tool asks for it
export default defineConfig({
  // Relative: the server writes the BASE_URL path into the page, and chunks load each other relative to their own URL.
  base: './',
  plugins: [react(), everyReferenceIsBuilt()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    // An inlined image would be a data: URL; fonts and scripts must never be.
    assetsInlineLimit: 0,
    // The polyfill would be an extra script for browsers older than the components support.
    modulePreload: { polyfill: false },
    // CSS that these 2024 browsers support is not transpiled, above all light-dark().
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    reportCompressedSize: false,
    // The first-load test measures what is actually sent; this would warn about chunks that are not.
    chunkSizeWarningLimit: 1_000,
  },
});
