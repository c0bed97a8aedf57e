/** The image server that throughput is compared with. */
import { join } from 'node:path';
import { start } from '../servers/processes.mjs';

/** `peer` is a result of `findPeer`. */
export const startIpx = (peer, folder, healthPath) =>
  start(
    join(peer.folder, 'node_modules', 'ipx', 'bin', 'ipx.mjs'),
    ['serve', '--dir', folder, '--host', '127.0.0.1'],
    (port) => ({ PORT: String(port), NODE_ENV: 'production' }),
    healthPath,
  );
