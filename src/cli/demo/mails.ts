/** A mail server that accepts everything and delivers nothing. */
import type { Socket } from 'node:net';
import PostalMime from 'postal-mime';

export interface ReceivedMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

const endOf = { command: '\r\n', mail: '\r\n.\r\n' } as const;

/** As much of SMTP as a client needs that neither encrypts nor authenticates. */
export function receiveMails(socket: Socket, onMail: (mail: ReceivedMail) => void): void {
  let input = '';
  let expected: keyof typeof endOf = 'command';
  let to: string[] = [];
  const respond = (text: string): void => void socket.write(`${text}\r\n`);
  const takeCommand = (line: string): void => {
    const command = line.slice(0, 4).toUpperCase();
    if (command === 'MAIL') to = [];
    if (command === 'RCPT') to.push(/<(.*)>/.exec(line)?.[1] ?? '');
    if (command === 'DATA') expected = 'mail';
    respond(command === 'DATA' ? '354 Go on' : command === 'QUIT' ? '221 Goodbye' : '250 OK');
    if (command === 'QUIT') socket.end();
  };
  const takeMail = (raw: string): void => {
    expected = 'command';
    respond('250 Stored');
    void readMail(raw.replaceAll('\r\n..', '\r\n.'), to.join(', ')).then(onMail);
  };
  socket.on('error', () => socket.destroy());
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    input += chunk;
    for (let at = input.indexOf(endOf[expected]); at >= 0; at = input.indexOf(endOf[expected])) {
      const part = input.slice(0, at);
      input = input.slice(at + endOf[expected].length);
      if (expected === 'mail') takeMail(part);
      else takeCommand(part);
    }
  });
  respond('220 demo');
}

async function readMail(raw: string, to: string): Promise<ReceivedMail> {
  const { subject = '', text = '' } = await PostalMime.parse(Buffer.from(raw, 'latin1'));
  return { to, subject, text };
}
