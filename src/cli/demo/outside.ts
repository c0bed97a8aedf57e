/** Everything outside the demo instance: the endpoints of its destinations, a mail server, and the page of forms to try. */
import { createServer as createWebServer, type ServerResponse } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { demoFile } from './files.js';
import type { DemoFile, Places } from './forms.js';
import { type ReceivedMail, receiveMails } from './mails.js';
import { type TryPage, tryPageHtml } from './try-page.js';

export interface Outside {
  /** The page of forms to try. */
  readonly url: string;
  readonly mailUrl: string;
  readonly places: Places;
  /** The address of a file that visitors send. */
  fileUrl(name: DemoFile, number: number): string;
  show(page: TryPage): void;
  close(): void;
}

const loopback = '127.0.0.1';
/** How many requests fail before the endpoint recovers. */
const failuresBeforeRecovery = 4;
const keptMails = 100;

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, loopback, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It listens at no port');
  return address.port;
}

/** A port on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function createEndpoints(): ReadonlyMap<string, (response: ServerResponse) => void> {
  let failuresLeft = failuresBeforeRecovery;
  return new Map([
    [
      'good',
      (response) => response.setHeader('Content-Type', 'application/json').end('{"ok":true,"result":{}}'),
    ],
    ['slack', (response) => response.end('ok')],
    ['failing', (response) => response.writeHead(500).end('The applicant system has run out of disk space.')],
    [
      'recovering',
      (response) => {
        failuresLeft -= 1;
        if (failuresLeft >= 0) response.writeHead(503).end('Starting up. Try again in a minute.');
        else response.end('stored');
      },
    ],
  ]);
}

const fileNames: readonly DemoFile[] = ['cv.pdf', 'portrait.jpg', 'photo.jpg'];

async function sendFile(response: ServerResponse, number: string, name: string): Promise<void> {
  const known = fileNames.find((one) => one === name);
  if (known === undefined) return void response.writeHead(404).end();
  const { type, bytes } = await demoFile(known, Number(number) || 0);
  response.setHeader('Content-Type', type).end(bytes);
}

export async function openOutside(): Promise<Outside> {
  const endpoints = createEndpoints();
  const mails: ReceivedMail[] = [];
  const connections = new Set<Socket>();
  let page: TryPage = { dashboardUrl: '', forms: [] };
  const web = createWebServer((request, response) => {
    request.resume();
    const [first = '', second = '', third = ''] = (request.url ?? '').split('/').slice(1);
    if (request.method === 'POST') return (endpoints.get(first) ?? endpoints.get('good'))?.(response);
    if (first === 'files') return void sendFile(response, second, third);
    response.setHeader('Content-Type', 'text/html; charset=utf-8').end(tryPageHtml(page, mails));
  });
  const mailServer = createServer((socket) => {
    connections.add(socket.once('close', () => connections.delete(socket)));
    receiveMails(socket, (mail) => {
      mails.unshift(mail);
      mails.length = Math.min(mails.length, keptMails);
    });
  });
  const url = `http://${loopback}:${await listen(web)}`;
  const mailUrl = `smtp://${loopback}:${await listen(mailServer)}`;
  return {
    ...{ url, mailUrl },
    places: {
      good: `${url}/good`,
      slack: `${url}/slack`,
      failing: `${url}/failing`,
      recovering: `${url}/recovering`,
      dead: `http://${loopback}:${await freePort()}`,
    },
    fileUrl: (name, number) => `${url}/files/${number}/${name}`,
    show(shown) {
      page = shown;
    },
    close() {
      web.close();
      web.closeAllConnections();
      mailServer.close();
      for (const connection of connections) connection.destroy();
    },
  };
}
