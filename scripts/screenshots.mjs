/**
 * Takes the screenshots of the dashboard in docs/images, from `inlet demo` in a real browser. Run by hand after the dashboard
 * has changed: `npm run screenshots`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import sharp from 'sharp';

const entry = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url));
const folder = fileURLToPath(new URL('../docs/images/', import.meta.url));

/** By the time the demo prints its address, it has its data. */
async function startDemo() {
  const child = spawn(process.execPath, [entry, 'demo', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill());
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { child, ...JSON.parse(line) };
}

const demo = await startDemo();
const { origin } = new URL(demo.dashboard_url);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});

async function signIn() {
  const context = await browser.newContext();
  const { email, password } = demo;
  const response = await context.request.post(`${origin}/api/v1/session`, {
    headers: { origin },
    data: { email, password },
  });
  if (!response.ok()) throw new Error(`sign in: ${response.status()}`);
  return { request: context.request, state: await context.storageState() };
}
const { request, state } = await signIn();
const get = async (path) => (await request.get(`${origin}/api/v1${path}`)).json();

async function formIds() {
  const ids = {};
  for (const project of (await get('/projects')).data) {
    for (const form of (await get(`/projects/${project.id}/forms`)).data) ids[form.name] = form.id;
  }
  return ids;
}

async function take(file, path, { scheme = 'light', width = 1280, height = 800 } = {}) {
  const context = await browser.newContext({
    colorScheme: scheme,
    viewport: { width, height },
    storageState: state,
  });
  const tab = await context.newPage();
  await tab.goto(`${demo.dashboard_url}${path}`, { waitUntil: 'load' });
  await tab.locator('main h1').first().waitFor();
  await tab.waitForTimeout(1_500);
  // Images load when the machine has time for them; those out of view are not requested.
  const missing = `[...document.querySelectorAll('main img')].filter((image) =>
    image.offsetParent && image.getBoundingClientRect().top < innerHeight && !image.naturalWidth).length`;
  while ((await tab.evaluate(missing)) > 0) await tab.waitForTimeout(250);
  await sharp(await tab.screenshot())
    .png({ palette: true, colours: 128, compressionLevel: 9 })
    .toFile(`${folder}${file}.png`);
  await context.close();
}

try {
  await mkdir(folder, { recursive: true });
  const ids = await formIds();
  const [applied] = (await get(`/forms/${ids['Job application']}/submissions?limit=1`)).data;
  // Wait for the first retries.
  await new Promise((resolve) => setTimeout(resolve, 8_000));
  await take('overview', '', { height: 700 });
  await take('inbox', '/inbox');
  await take('submissions', `/forms/${ids.Contact}`);
  await take('submission', `/submissions/${applied.id}`);
  await take('submission-dark', `/submissions/${applied.id}`, { scheme: 'dark' });
  await take('settings', `/forms/${ids.Contact}/settings`);
  await take('phone', `/forms/${ids.Contact}`, { width: 390, height: 780 });
} finally {
  await browser.close();
  demo.child.kill();
  await once(demo.child, 'exit');
}
