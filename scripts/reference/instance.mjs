/** A whole instance inside this process, with temporary data, from which the documents are generated. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFoundation } from '../../dist/compose/foundation.js';
import { startService } from '../../dist/compose/service.js';
import { loadConfig } from '../../dist/config/load.js';
import { createLogger } from '../../dist/kernel/log.js';

const packageFile = new URL('../../package.json', import.meta.url);

/** Its links lead to http://localhost:3000, whatever port it listens on. */
export async function startInstance(settings = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'inlet-docs-'));
  const loaded = loadConfig({
    DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    PORT: '0',
    BASE_URL: 'http://localhost:3000',
    LOG_LEVEL: 'silent',
    ...settings,
  });
  if (!loaded.ok) throw new Error(loaded.faults.join('\n'));
  const { version } = JSON.parse(await readFile(packageFile, 'utf8'));
  const log = createLogger('silent');
  const onFatal = (error) => {
    throw error;
  };
  const foundation = await openFoundation(loaded.config, log, {
    exclusive: true,
    database: 'migrate',
    onFatal,
  });
  const service = await startService(loaded.config, log, foundation, {
    version,
    role: 'all',
    peerMetrics: null,
    onFirstAccount() {},
  });
  return {
    url: `http://127.0.0.1:${service.port}`,
    setupToken: service.setupToken,
    async stop() {
      await service.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
