/** Hosts and ports that settings name, read the way the drivers read them. Sockets in the file system have neither. */
import type { Config } from './options.js';
import { bucketOf } from './urls.js';

export interface NamedEndpoint {
  readonly host: string;
  readonly port: number;
}

type Services = Pick<Config, 'databaseUrl' | 'redisUrl' | 'smtpUrl'>;

const isSocket = (host: string): boolean => host === '' || /^(?:\/|%2f|@)/i.test(host);

/** Both may be lists: `?host=a,b&port=5432,5433`; a single port is that of all hosts. */
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

/** PostgreSQL takes host and port as parameters too, and those count. */
function endpointsOf(text: string, defaultPort: number): NamedEndpoint[] {
  const { hostname, port, searchParams } = new URL(text);
  return paired(searchParams.get('host') || hostname, searchParams.get('port') || port, defaultPort);
}

/** Database, Redis and mail server. */
export const serviceEndpoints = ({ databaseUrl, redisUrl, smtpUrl }: Services): readonly NamedEndpoint[] => [
  ...(databaseUrl === null ? [] : endpointsOf(databaseUrl, 5432)),
  ...(redisUrl === null ? [] : endpointsOf(redisUrl, 6379)),
  ...(smtpUrl === null ? [] : endpointsOf(smtpUrl, /^smtps:/i.test(smtpUrl) ? 465 : 587)),
];

/** The bucket's server, by the name of the service and by that of the bucket. */
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
