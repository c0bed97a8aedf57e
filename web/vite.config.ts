/** How the dashboard is built: to dist/web, with names that carry the hash of their content. */
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const references = /(?:href|src)="([^"]+)"|url\(["']?([^"')]+)/g;

/**
 * A font or picture that is not there must fail the build. The tool only warns of it in a style sheet, says nothing of it in the
 * page, and leaves the path of the source, which is a 404 for everybody who opens the dashboard.
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
  // Relative: the server writes the path of BASE_URL into the page, and chunks find each other by their own address.
  base: './',
  plugins: [react(), everyReferenceIsBuilt()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    // An inlined picture would be a data: address; fonts and scripts must never be.
    assetsInlineLimit: 0,
    // Its polyfill would be a script for browsers that are older than what the components ask for.
    modulePreload: { polyfill: false },
    // What these browsers of 2024 understand stays as it is written, light-dark() above all.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    reportCompressedSize: false,
    // The test of the first load measures what is sent; this would warn of what is not.
    chunkSizeWarningLimit: 1_000,
  },
});
