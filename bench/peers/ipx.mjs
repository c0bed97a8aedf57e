/** The image server that throughput is held against. */
import { join } from 'node:path';
import { start } from '../servers/processes.mjs';

/** `peer` as `findPeer` found it. */
export const startIpx = (peer, folder, healthPath) =>
  start(
    join(peer.folder, 'node_modules', 'ipx', 'bin', 'ipx.mjs'),
    ['serve', '--dir', folder, '--host', '127.0.0.1'],
    (port) => ({ PORT: String(port), NODE_ENV: 'production' }),
    healthPath,
  );
