/** The endpoints that no webhook may reach, from the settings: see `domain/webhooks/own-endpoints.ts`. */
import { networkInterfaces } from 'node:os';
import { bucketEndpoints, serviceEndpoints, webEndpoint } from '../config/endpoints.js';
import type { Config } from '../config/options.js';
import { OwnEndpoints } from '../domain/webhooks/own-endpoints.js';
import { canonicalIp } from '../kernel/addresses.js';

/** Read each time: interfaces come and go. */
const localAddresses = (): ReadonlySet<string> =>
  new Set(
    Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .flatMap(({ address }) => canonicalIp(address) ?? []),
  );

export const composeOwnEndpoints = (config: Config): OwnEndpoints =>
  new OwnEndpoints(localAddresses, [
    // With PORT 0 the real one is added when it is known.
    { host: config.host, port: config.port, by: 'any-address' },
    ...(config.opsPort === null
      ? []
      : [{ host: config.host, port: config.opsPort, by: 'any-address' as const }]),
    { ...webEndpoint(config.baseUrl), by: 'none' },
    ...serviceEndpoints(config).map((endpoint) => ({ ...endpoint, by: 'any-address' as const })),
    ...bucketEndpoints(config.storageUrl).map((endpoint) => ({ ...endpoint, by: 'inside-address' as const })),
  ]);
