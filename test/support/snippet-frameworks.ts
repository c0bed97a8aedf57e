/** Turns snippets into what a browser runs: components go through the compilers of their frameworks and a bundler, as on a website. */
import { type Plugin, rolldown } from 'rolldown';
import { compile } from 'svelte/compiler';
import { expect } from 'vitest';
import { compileScript, parse } from 'vue/compiler-sfc';

export interface Framework {
  /** The module that the framework's own compiler makes from the snippet. */
  readonly compiled: (code: string) => string;
  readonly file: string;
  /** Code that shows the component on the page. */
  readonly start: string;
}

const reactStart = `import { createRoot } from 'react-dom/client';
import { createElement } from 'react';
import { ContactForm } from './component';
createRoot(document.body.appendChild(document.createElement('main'))).render(createElement(ContactForm));`;

export const frameworks: Readonly<Record<string, Framework>> = {
  react: { compiled: (code) => code, file: 'component.jsx', start: reactStart },
  next: { compiled: (code) => code, file: 'component.jsx', start: reactStart },
  vue: {
    compiled(code) {
      // A component without a script is valid, but this compiler wants one.
      const { descriptor, errors } = parse(
        code.includes('<script') ? code : `${code}<script setup>;</script>`,
      );
      expect(errors).toEqual([]);
      return compileScript(descriptor, { id: 'contact', inlineTemplate: true }).content;
    },
    file: 'component.js',
    start: `import { createApp } from 'vue';
import ContactForm from './component';
createApp(ContactForm).mount(document.body.appendChild(document.createElement('main')));`,
  },
  svelte: {
    compiled(code) {
      const { js, warnings } = compile(code, { generate: 'client' });
      expect(warnings.map(({ message }) => message)).toEqual([]);
      return js.code;
    },
    file: 'component.js',
    start: `import { mount } from 'svelte';
import ContactForm from './component';
mount(ContactForm, { target: document.body.appendChild(document.createElement('main')) });`,
  },
};

/** Bundles it as a website would. */
export async function bundle({ compiled, file, start }: Framework, code: string): Promise<string> {
  const sources: Plugin = {
    name: 'sources',
    resolveId: (id, from) => {
      if (id === './component') return `${import.meta.dirname}/${file}`;
      return from === undefined ? `${import.meta.dirname}/start.js` : null;
    },
    load(id) {
      if (id.endsWith(`/${file}`)) return compiled(code);
      return id.endsWith('/start.js') ? start : null;
    },
  };
  const bundled = await rolldown({
    input: 'start',
    plugins: [sources],
    platform: 'browser',
    resolve: { conditionNames: ['browser', 'import', 'default'] },
    transform: {
      define: {
        'process.env.NODE_ENV': '"production"',
        __VUE_OPTIONS_API__: 'false',
        __VUE_PROD_DEVTOOLS__: 'false',
        __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
      },
    },
    onLog() {},
  });
  const { output } = await bundled.generate({ format: 'esm' });
  return output[0].code;
}

/** The compiler needs all of Astro. Here it would only insert one value and remove one word. */
export function renderedByAstro(code: string, path: string): string {
  const [, frontMatter = '', template = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(code) ?? [];
  expect(frontMatter).toBe('// src/components/ContactForm.astro');
  const rendered = template.replace('{Astro.url.pathname}', `"${path}"`).replaceAll(' is:inline', '');
  expect(rendered).not.toMatch(/[{}]/);
  return rendered;
}
