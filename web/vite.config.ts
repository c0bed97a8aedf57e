/** How the dashboard is built: to dist/web, with names that carry the hash of their content. */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// biome-ignore lint/style/noDefaultExport: the tool asks for it
export default defineConfig({
  // Relative: the server writes the path of BASE_URL into the page, and chunks find each other by their own address.
  base: './',
  plugins: [react()],
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
