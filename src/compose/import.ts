/** What an import needs, both for the command and for the service. */
import { createDownloads } from '../adapters/outbound/downloads.js';
import type { Config } from '../config/options.js';
import { createStaging } from '../domain/files/staging.js';
import type { FileFetcher } from '../domain/import/fetch-files.js';
import { createImportService, type ImportService } from '../domain/import/service.js';
import {
  type AddressPolicy,
  judgeResolvedAddress,
  judgeWebhookUrl,
} from '../domain/webhooks/address-policy.js';
import type { OwnEndpoints } from '../domain/webhooks/own-endpoints.js';
import { NetworkSet } from '../kernel/addresses.js';
import { isLoopbackUrl } from '../kernel/hosts.js';
import type { Foundation } from './foundation.js';

/** For one file, from resolving its host name to its last byte. */
const downloadTimeoutMs = 60_000;

export const addressPolicyOf = (config: Config, own: OwnEndpoints): AddressPolicy => ({
  insideAllowed: isLoopbackUrl(config.baseUrl),
  allowedNetworks: new NetworkSet(config.webhookAllowedNetworks.networks),
  allowedHosts: new Set(config.webhookAllowedNetworks.hostNames),
  own,
});

export const composeImports = ({
  store,
  blobs,
  clock,
}: Pick<Foundation, 'store' | 'blobs' | 'clock'>): ImportService =>
  createImportService({ store, staging: createStaging({ blobs, clock }), clock });

/** Files may be downloaded from wherever webhooks may be sent. */
export function composeFileFetcher(
  config: Config,
  policy: AddressPolicy,
  own: OwnEndpoints,
  version: string,
): FileFetcher {
  const downloads = createDownloads({
    judgeUrl: (url) => judgeWebhookUrl(policy, url),
    judgeAddress: (destination, address) => judgeResolvedAddress(policy, destination, address),
    guardedNames: own,
    userAgent: `Inlet/${version}`,
  });
  return { downloads, maxFileBytes: config.maxFileBytes, timeoutMs: downloadTimeoutMs };
}
