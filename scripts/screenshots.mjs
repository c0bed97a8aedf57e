/**
 * Takes the pictures of the dashboard in docs/images: an instance with some weeks behind it, seen in a real browser. By hand, after the
 * dashboard has changed: `npm run screenshots`.
 */
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { newId } from '#inlet/kernel/ids.js';
import { quarterHourOf } from '#inlet/model/tally.js';
import { openStore } from '../bench/data/seed.mjs';
import { api, makeForm, removeFolder, startInlet, temporaryFolder } from '../bench/servers/processes.mjs';

const folder = fileURLToPath(new URL('../docs/images/', import.meta.url));
const admin = { email: 'ada@example.com', password: 'correct horse battery' };
const dayMs = 86_400_000;

const people = [
  ['Ada Lovelace', 'ada@example.com', 'I would like to know more about the analytical engine.'],
  ['Alan Turing', 'alan@example.org', 'Can machines think? I have a few thoughts about your form.'],
  ['Grace Hopper', 'grace@example.net', 'There is a bug in your navigation, and it has wings.'],
  ['Katherine Johnson', 'kj@example.com', 'The numbers on page three do not add up.'],
  ['Hedy Lamarr', 'hedy@example.com', 'About frequency hopping: shall we talk?'],
  ['Emmy Noether', 'emmy@example.de', 'Eine Frage zu Symmetrien.'],
];
const fieldsOf = (i) => {
  const [name, email, message] = people[i % people.length];
  return { name, email, message };
};

/** Submissions of the last weeks, as the server would have written them; more on some days than on others. */
async function past(dataDir, { formId, projectId }) {
  const { store } = await openStore(dataDir);
  const today = Date.now();
  const counts = [];
  for (let ago = 29; ago > 0; ago -= 1) {
    const at = today - ago * dayMs;
    const many = 18 + ((ago * 7) % 11) + (ago % 7 < 2 ? -12 : 6);
    await store.commit(
      Array.from({ length: many }, (_, i) => ({
        submission: {
          id: newId(at + i * 60_000),
          formId,
          projectId,
          data: JSON.stringify(fieldsOf(i + ago)),
          metadata: {
            ip: '192.0.2.7',
            userAgent: 'Mozilla/5.0',
            submittedFrom: 'https://www.example.com/',
            controlFields: null,
          },
          createdAt: at + i * 60_000,
        },
        files: [],
        deliveries: [],
        skipped: [],
        idempotency: null,
      })),
    );
    const quarterHour = quarterHourOf(at);
    const add = (kind, count) => counts.push({ formId, quarterHour, kind, count });
    add('delivered', many);
    add('retried', ago === 12 ? 9 : ago % 6 === 0 ? 2 : 0);
    add('failed', ago === 12 ? 3 : 0);
    add('quarantined', (ago * 5) % 7);
    add('refused_origin', ago % 9 === 0 ? 6 : 1);
    add('latency_50', many);
  }
  await store.tallies.add(
    counts.filter(({ count }) => count > 0),
    [],
  );
  await store.close();
}

const listening = async (answer) => {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => answer(response));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, server };
};

const submit = async (url, fields, files = {}, headers = {}) => {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  for (const [name, [bytes, type, filename]] of Object.entries(files))
    body.set(name, new Blob([bytes], { type }), filename);
  const answer = await fetch(url, {
    method: 'POST',
    headers: { accept: 'application/json', ...headers },
    body,
  });
  return answer.json();
};

const picture = (background, shape) =>
  sharp({ create: { width: 800, height: 600, channels: 3, background } })
    .composite([{ input: Buffer.from(`<svg width="800" height="600">${shape}</svg>`) }])
    .png()
    .toBuffer();

const dataDir = await temporaryFolder();
const settings = {
  INLET_ADMIN_EMAIL: admin.email,
  INLET_ADMIN_PASSWORD: admin.password,
  WEBHOOK_RETRY_DELAYS: '1,1,1800,7200',
};
const good = await listening((response) => response.end('{"ok":true}'));
const bad = await listening((response) =>
  response.writeHead(503).end('Service is being updated.\nPlease come back in an hour.'),
);
try {
  let inlet = await startInlet(dataDir, settings);
  const contact = await makeForm(inlet, { webhook_url: `${good.url}/hook` });
  await inlet.end();
  await past(dataDir, contact);
  inlet = await startInlet(dataDir, settings);
  const jobs = await api(inlet, 'POST', `/api/v1/projects/${contact.projectId}/forms`, {
    name: 'Jobs',
    webhook_url: `${bad.url}/applicants`,
  });
  const garden = await picture('#0f6e6e', '<circle cx="400" cy="300" r="180" fill="#f4d35e"/>');
  const portrait = await picture(
    '#30475e',
    '<circle cx="400" cy="240" r="120" fill="#f2a365"/><ellipse cx="400" cy="560" rx="240" ry="180" fill="#f2a365"/>',
  );
  const page = { referer: 'https://www.example.com/contact' };
  for (let i = 0; i < 14; i += 1) {
    const files = i % 4 === 1 ? { photo: [garden, 'image/png', 'garden.png'] } : {};
    await submit(inlet.url + contact.path, fieldsOf(i), files, page);
  }
  const { name, email, message } = fieldsOf(0);
  const applied = await submit(
    `${inlet.url}/f/${jobs.public_id}`,
    { name, email, position: 'Engineer', letter: `${message} `.repeat(6).trim() },
    { portrait: [portrait, 'image/png', 'me.png'], cv: ['%PDF-1.4', 'application/pdf', 'cv.pdf'] },
    page,
  );
  for (let i = 0; i < 3; i += 1)
    await submit(inlet.url + contact.path, { name: 'Best prices', message: 'Buy now', _gotcha: 'x' });
  const signedIn = await fetch(`${inlet.url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(admin),
  });
  const [cookie] = signedIn.headers.getSetCookie()[0].split(';');
  const [cookieName, ...value] = cookie.split('=');
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  await mkdir(folder, { recursive: true });
  const take = async (file, path, { scheme = 'light', width = 1280, height = 800 } = {}) => {
    const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height } });
    await context.addCookies([{ name: cookieName, value: value.join('='), url: inlet.url }]);
    const tab = await context.newPage();
    await tab.goto(`${inlet.url}/dashboard${path}`, { waitUntil: 'load' });
    await tab.locator('main h1').first().waitFor();
    await tab.waitForTimeout(1_500);
    // Pictures come when the machine has time for them; those out of sight are not asked for.
    const missing = `[...document.querySelectorAll('main img')].filter((image) =>
      image.offsetParent && image.getBoundingClientRect().top < innerHeight && !image.naturalWidth).length`;
    while ((await tab.evaluate(missing)) > 0) await tab.waitForTimeout(250);
    const shot = await tab.screenshot();
    await sharp(shot)
      .png({ palette: true, colours: 128, compressionLevel: 9 })
      .toFile(`${folder}${file}.png`);
    await context.close();
  };
  // Until the attempts at the receiver that is down have been made.
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  await take('overview', '');
  await take('submissions', `/forms/${contact.formId}`);
  await take('submission', `/submissions/${applied.submission_id}`);
  await take('submission-dark', `/submissions/${applied.submission_id}`, { scheme: 'dark' });
  await take('settings', `/forms/${contact.formId}/settings`);
  await take('phone', `/forms/${contact.formId}`, { width: 390, height: 780 });
  await browser.close();
  await inlet.end();
} finally {
  await removeFolder(dataDir);
  for (const { server } of [good, bad]) {
    server.closeAllConnections();
    server.close();
  }
}
