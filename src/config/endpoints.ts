/** Hosts and ports in the settings, parsed the way the drivers parse them. Unix sockets have neither. */
import type { Config } from './options.js';
import { bucketOf } from './urls.js';

export interface NamedEndpoint {
  readonly host: string;
  readonly port: number;
}

type Services = Pick<Config, 'databaseUrl' | 'redisUrl' | 'smtpUrl'>;

const isSocket = (host: string): boolean => host === '' || /^(?:\/|%2f|@)/i.test(host);

/** Both can be lists: `?host=a,b&port=5432,5433`. A single port applies to all hosts. */
function paired(hosts: string, ports: string, defaultPort: number): NamedEndpoint[] {
  const portList = ports.split(',');
  return hosts
    .split(',')
    .map((host, at) => ({
      host: host.trim(),
      port: Number(portList[at] ?? portList.at(-1)) || defaultPort,
    }))
    .filter(({ host }) => !isSocket(host));
}

/** PostgreSQL also accepts host and port as parameters, and they take precedence. */
function endpointsOf(text: string, defaultPort: number): NamedEndpoint[] {
  const { hostname, port, searchParams } = new URL(text);
  return paired(searchParams.get('host') || hostname, searchParams.get('port') || port, defaultPort);
}

export const serviceEndpoints = ({ databaseUrl, redisUrl, smtpUrl }: Services): readonly NamedEndpoint[] => [
  ...(databaseUrl === null ? [] : endpointsOf(databaseUrl, 5432)),
  ...(redisUrl === null ? [] : endpointsOf(redisUrl, 6379)),
  ...(smtpUrl === null ? [] : endpointsOf(smtpUrl, /^smtps:/i.test(smtpUrl) ? 465 : 587)),
];

/** The bucket's server in both URL styles: by the host of the service, and with the bucket as subdomain. */
export function bucketEndpoints(storageUrl: string | null): readonly NamedEndpoint[] {
  if (storageUrl === null) return [];
  const { bucket, endpoint, region } = bucketOf(storageUrl);
  const url = endpoint ?? (region === null ? null : `https://s3.${region}.amazonaws.com`);
  if (url === null) return [];
  const server = webEndpoint(url);
  return [server, { ...server, host: `${bucket}.${server.host}` }];
}

export function webEndpoint(text: string): NamedEndpoint {
  const { protocol, hostname, port } = new URL(text);
  return { host: hostname, port: Number(port) || (protocol === 'https:' ? 443 : 80) };
}
