/** The image server that throughput is held against. It is no dependency of ours: installed for the run, and removed. */
import { join } from 'node:path';
import { progress } from './numbers.mjs';
import { removeFolder, runToEnd, start, temporaryFolder } from './processes.mjs';

export const ipxVersion = '3.1.1';

/** Null, with the reason in the progress, where it cannot be had: then there is nothing to compare with. */
export async function startIpx(folder, healthPath) {
  const home = await temporaryFolder();
  try {
    progress(`images: installing ipx ${ipxVersion}`);
    await runToEnd('npm', [
      ...['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'],
      ...['--prefix', home, `ipx@${ipxVersion}`],
    ]);
    const server = await start(
      join(home, 'node_modules', 'ipx', 'bin', 'ipx.mjs'),
      ['serve', '--dir', folder, '--host', '127.0.0.1'],
      (port) => ({ PORT: String(port), NODE_ENV: 'production' }),
      healthPath,
    );
    const end = async () => {
      await server.end('SIGKILL');
      await removeFolder(home);
    };
    return { ...server, end };
  } catch (error) {
    await removeFolder(home);
    progress(`images: no ipx to compare with: ${error.message}`);
    return null;
  }
}
