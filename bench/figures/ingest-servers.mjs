/** The servers that get the same submissions: the bare server, Inlet, and the available peers. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bodies } from '../load/bodies.mjs';
import { progress } from '../numbers.mjs';
import { described as directusDescribed, directusPath, startDirectus } from '../peers/directus/server.mjs';
import {
  described as pocketbaseDescribed,
  pocketbasePath,
  startPocketbase,
} from '../peers/pocketbase/server.mjs';
import { makeForm, start, startBare, startInlet } from '../servers/processes.mjs';

const expressEntry = fileURLToPath(new URL('../peers/express/server.mjs', import.meta.url));
const all = Object.keys(bodies);
const always = () => true;

const expressDescribed = `// bench/peers/express/server.mjs: one file, as one writes it by hand
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');      // every commit is synced before the answer
const store = db.transaction(…);      // prepared statements, one transaction for each submission
await syncToDisk(file.path);          // each file, and then its folder, before the row
// NODE_ENV=production; no access checks, no rate limit, no search index, no webhooks`;

/** How each peer is started, and what it is measured with. Directus handles some 100 per second: one point is enough. */
const kinds = {
  express: {
    label: 'Express + multer + SQLite',
    formats: all,
    takes: always,
    path: '/f/contact',
    described: expressDescribed,
    language: 'js',
    start: (peer, folder) =>
      start(
        expressEntry,
        [],
        (port) => ({
          PORT: String(port),
          DATA_DIR: join(folder, 'express'),
          PEER_FOLDER: peer.folder,
          NODE_ENV: 'production',
        }),
        '/health',
      ),
  },
  directus: {
    label: 'Directus',
    formats: ['json'],
    takes: (connections) => connections === 64,
    isSlow: true,
    path: directusPath,
    described: directusDescribed,
    language: 'ini',
    start: (peer, folder) => startDirectus(peer.folder, join(folder, 'directus')),
  },
  // It does not sync files before the response, and no setting changes that, so only its JSON submissions are comparable.
  pocketbase: {
    label: 'PocketBase',
    formats: ['json'],
    takes: (connections) => connections === 64,
    path: pocketbasePath,
    described: pocketbaseDescribed,
    language: 'js',
    start: (peer, folder) => startPocketbase(peer.folder, join(folder, 'pocketbase')),
  },
};

async function startPeer(key, peer, folder) {
  const { label, described, language, ...kind } = kinds[key];
  const shown = { key, label, versions: peer.versions, described, language };
  if (!peer.folder) return { shown: { ...shown, why: peer.why } };
  try {
    const server = await kind.start(peer, folder);
    return { shown, contestant: { ...kind, key, label, server, isPeer: true } };
  } catch (error) {
    progress(`ingest: ${label} did not start: ${error.message}`);
    return { shown: { ...shown, why: `did not start: ${error.message.split('\n')[0]}` } };
  }
}

/** The servers store their data in `folder`. Slow peers take seconds to start and respond, so a quick run skips them. */
export async function startContestants(folder, peers, hasSlowPeers) {
  const started = [];
  const end = async () => {
    for (const server of started) await server.end('SIGKILL');
  };
  const place = (contestant) => {
    started.push(contestant.server);
    return contestant;
  };
  try {
    const bare = place({ key: 'bare', label: 'bare node:http', server: await startBare(), path: '/' });
    const inlet = place({
      key: 'inlet',
      label: 'Inlet',
      server: await startInlet(join(folder, 'inlet'), { TRUST_PROXY: 'loopback' }),
    });
    inlet.path = (await makeForm(inlet.server)).path;
    const contestants = [inlet, bare].map((one) => ({ ...one, formats: all, takes: always }));
    const present = [];
    for (const key of Object.keys(kinds)) {
      const peer = kinds[key].isSlow && !hasSlowPeers ? { why: 'not in a quick run' } : peers[key];
      const { shown, contestant } = await startPeer(key, peer, folder);
      present.push(shown);
      if (contestant) contestants.push(place(contestant));
    }
    return { contestants, peers: present, end };
  } catch (error) {
    await end();
    throw error;
  }
}
