/** Checks of the settings alone: valid, but perhaps not what was meant. */
import { type Config, settings } from '../../config/options.js';
import { readSettingTexts } from '../../config/sources.js';
import { isLocalhost, isLoopbackUrl } from '../../kernel/hosts.js';
import { type Check, ok, warn } from './check.js';

export function settingsChecks(config: Config, env: NodeJS.ProcessEnv): readonly Check[] {
  const written = readSettingTexts(env).sources.size;
  return [
    // A server started elsewhere may have other settings, which are not visible from here.
    ok('settings', `${written} of ${settings.length} set for this command, the others at their defaults`),
    baseUrl(config),
    proxy(config),
    monitoring(config),
  ];
}

function baseUrl({ baseUrl: url }: Config): Check {
  if (isLoopbackUrl(url)) {
    return warn(
      'base url',
      `links start with ${url}, which only this machine reaches`,
      'Set BASE_URL to the address that visitors use.',
    );
  }
  if (url.startsWith('http:')) {
    return warn(
      'base url',
      `links start with ${url}: API keys and submissions travel unencrypted`,
      'Put a proxy with a certificate before Inlet and set BASE_URL to its https address.',
    );
  }
  return ok('base url', url);
}

/** A public address over a private listener means a proxy; without TRUST_PROXY all visitors share its address. */
function proxy({ baseUrl: url, host, trustProxy }: Config): Check {
  if (!trustProxy.networks.isEmpty) return ok('proxy', 'TRUST_PROXY names the proxies that are believed');
  if (isLoopbackUrl(url) && isLocalhost(host)) return ok('proxy', 'none expected');
  return warn(
    'proxy',
    'X-Forwarded-For is believed from nobody',
    'Behind a proxy set TRUST_PROXY, or all visitors count as one; without a proxy this is right.',
  );
}

/** Metrics that nobody can read are not a problem; metrics that anyone on the network can read may be one. */
function monitoring({ baseUrl: url, host, opsPort, opsToken }: Config): Check {
  const name = 'monitoring';
  const token = opsToken === null ? 'no token' : 'OPS_TOKEN';
  if (opsPort !== null) return ok(name, `/metrics is on OPS_PORT ${opsPort} and needs ${token}`);
  if (opsToken !== null) return ok(name, '/metrics needs OPS_TOKEN');
  if (!isLoopbackUrl(url)) {
    return warn(
      name,
      '/metrics is not served: neither OPS_TOKEN nor OPS_PORT is set',
      'Set one of them to monitor Inlet; without monitoring this is right.',
    );
  }
  if (isLocalhost(host)) return ok(name, '/metrics is open to this machine');
  return warn(
    name,
    `/metrics is open to everyone who reaches ${host}, because BASE_URL is a loopback address`,
    'Set BASE_URL to the address that visitors use, or set OPS_TOKEN.',
  );
}
