/**
 * The real nginx, Caddy and HAProxy with the files of deploy/, on loopback and free ports. Only ports, certificates and paths are replaced,
 * so that the shipped file itself is tested.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { selfSigned } from '../certificate.js';
import { freePort } from '../free-port.js';

export interface ProxyServer {
  readonly name: 'nginx' | 'caddy' | 'haproxy';
  /** The port with TLS. */
  readonly port: number;
  /** The port without TLS. Caddy listens on none here: its redirects are built in. */
  readonly plainPort: number;
  /** Contains everything that it writes. */
  readonly folder: string;
  readonly pid: number;
  log(): string;
  dispose(): Promise<void>;
}

export interface ProxyOptions {
  /** One for each process of Inlet. */
  readonly upstreamPorts: readonly number[];
  /** Further changes to the shipped file: a text that must be in it, and its replacement. */
  readonly replace?: readonly (readonly [find: string | RegExp, put: string])[];
}

/** The host name in the shipped files. */
export const hostName = 'forms.example.com';
const startMs = 20_000;

/** On Debian, servers are not on the PATH of ordinary users. */
const programPath = [process.env.PATH ?? '', '/usr/sbin', '/usr/local/sbin'].join(delimiter);
const find = (name: string): string => {
  const found = programPath
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(existsSync);
  if (found === undefined) throw new Error(`${name} is not installed: sudo apt-get install ${name}`);
  return found;
};

/** Starts a program that dies with us even if we are killed and cannot stop it ourselves. */
function start(program: string, args: readonly string[], env?: NodeJS.ProcessEnv): ChildProcess {
  const wrapped = existsSync('/usr/bin/setpriv') ? ['setpriv', '--pdeathsig', 'KILL', program] : [program];
  const [first = program, ...before] = wrapped;
  return spawn(first, [...before, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(env === undefined ? {} : { env }),
  });
}

type Replacement = readonly [find: string | RegExp, put: string];

/** Each must be present, or something other than the shipped file would be tested. */
function adapted(text: string, replacements: readonly Replacement[]): string {
  return replacements.reduce((content, [what, put]) => {
    const next = content.replaceAll(typeof what === 'string' ? what : new RegExp(what, 'gm'), put);
    if (next === content) throw new Error(`The shipped file does not contain ${what}`);
    return next;
  }, text);
}

const shipped = (name: string): Promise<string> =>
  readFile(new URL(`../../../deploy/${name}`, import.meta.url), 'utf8');

interface Place {
  readonly folder: string;
  readonly port: number;
  readonly plainPort: number;
  readonly cert: string;
  readonly key: string;
}

async function newPlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-proxy-'));
  const identity = selfSigned(hostName);
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  await writeFile(cert, identity.cert);
  await writeFile(key, identity.key);
  return { folder, port: await freePort(), plainPort: await freePort(), cert, key };
}

export async function startNginx({ upstreamPorts, replace = [] }: ProxyOptions): Promise<ProxyServer> {
  const program = find('nginx');
  const place = await newPlace();
  const { folder, port, plainPort, cert, key } = place;
  const site = adapted(await shipped('nginx.conf'), [
    [
      'server 127.0.0.1:3000 max_fails=0;',
      upstreamPorts.map((at) => `server 127.0.0.1:${at} max_fails=0;`).join('\n    '),
    ],
    [/listen \[::\]:80;/, `listen [::1]:${plainPort};`],
    [/listen 80;/, `listen 127.0.0.1:${plainPort};`],
    [/listen \[::\]:443 /, `listen [::1]:${port} `],
    [/listen 443 /, `listen 127.0.0.1:${port} `],
    [/\/etc\/letsencrypt\/\S+\/fullchain.pem/, cert],
    [/\/etc\/letsencrypt\/\S+\/privkey.pem/, key],
    ...replace,
  ]);
  await writeFile(join(folder, 'site.conf'), site);
  await mkdir(join(folder, 'temp'));
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/temp/${kind};`)
    .join(' ');
  // A single process: it dies with the one that we started, and needs no other user.
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr warn;
events {} http { ${temp} access_log off; include ${folder}/site.conf; }\n`,
  );
  const args = ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')];
  return started('nginx', place, start(program, args));
}

export async function startCaddy({ upstreamPorts, replace = [] }: ProxyOptions): Promise<ProxyServer> {
  const program = find('caddy');
  const place = await newPlace();
  const { folder, port, cert, key } = place;
  const site = adapted(await shipped('Caddyfile'), [
    ['127.0.0.1:3000', upstreamPorts.map((at) => `127.0.0.1:${at}`).join(' ')],
    [/^forms\.example\.com \{/, `${hostName} {\n\ttls ${cert} ${key}`],
    [
      /^\{/,
      `{\n\tadmin off\n\tauto_https disable_redirects\n\thttps_port ${port}\n\tdefault_bind 127.0.0.1 ::1`,
    ],
    ...replace,
  ]);
  const file = join(folder, 'Caddyfile');
  await writeFile(file, site);
  const child = start(program, ['run', '--config', file, '--adapter', 'caddyfile'], {
    ...{ PATH: programPath, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, TMPDIR: folder },
  });
  return started('caddy', place, child);
}

export async function startHaproxy({ upstreamPorts, replace = [] }: ProxyOptions): Promise<ProxyServer> {
  const program = find('haproxy');
  const place = await newPlace();
  const { folder, port, plainPort, cert, key } = place;
  const pem = join(folder, 'both.pem');
  await writeFile(pem, (await readFile(cert, 'utf8')) + (await readFile(key, 'utf8')));
  const site = adapted(await shipped('haproxy.cfg'), [
    [
      'server inlet1 127.0.0.1:3000',
      upstreamPorts.map((at, n) => `server inlet${n + 1} 127.0.0.1:${at}`).join('\n    '),
    ],
    ['bind :80', `bind 127.0.0.1:${plainPort}`],
    ['bind :::80 v6only', `bind ::1:${plainPort} v6only`],
    ['bind :443', `bind 127.0.0.1:${port}`],
    ['bind :::443 v6only', `bind ::1:${port} v6only`],
    ['/etc/haproxy/forms.example.com.pem', pem],
    ['log /dev/log local0', 'log stderr format raw local0 notice'],
    // As another user it could not be made to die with us.
    [/^ +(?:user|group) haproxy$/, ''],
    ...replace,
  ]);
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, site);
  return started('haproxy', place, start(program, ['-db', '-f', file]));
}

async function started(name: ProxyServer['name'], place: Place, child: ChildProcess): Promise<ProxyServer> {
  let log = '';
  let isRunning = true;
  child.stderr?.on('data', (chunk) => {
    log = (log + chunk).slice(-20_000);
  });
  const exited = new Promise<void>((resolve) => {
    const over = (): void => {
      isRunning = false;
      resolve();
    };
    child.once('exit', over);
    child.once('error', over);
  });
  const kill = (): void => void (isRunning && child.kill('SIGKILL'));
  // A test run that dies must not leave servers behind.
  process.once('exit', kill);
  const dispose = async (): Promise<void> => {
    kill();
    await exited;
    process.off('exit', kill);
    await rm(place.folder, { recursive: true, force: true });
  };
  const until = performance.now() + startMs;
  while (isRunning && performance.now() < until) {
    if (await listens(place.port)) {
      return {
        name,
        port: place.port,
        plainPort: place.plainPort,
        folder: place.folder,
        pid: child.pid ?? 0,
        log: () => log,
        dispose,
      };
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await dispose();
  throw new Error(`${name} did not start:\n${log}`);
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
