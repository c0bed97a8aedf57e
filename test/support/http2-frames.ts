/** HTTP/2 frame by frame, for headers that no library would send. */
import { connect } from 'node:tls';

const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const types = { data: 0, headers: 1, reset: 3, settings: 4, goAway: 7 } as const;
const endStream = 0x1;
const endHeaders = 0x4;
const streamId = 1;

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** HPACK: an integer with a prefix of seven bits, then the text as it is. */
function literal(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const length = [127];
  let rest = bytes.length - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) length.push((rest % 128) + 128);
  return Buffer.concat([Buffer.from([...length, rest]), bytes]);
}

/** Sends one request. Resolves when the server has reacted: with a head, a reset, or by closing the connection. */
export async function sendFrames(
  port: number,
  servername: string,
  fields: readonly (readonly [name: string, value: string])[],
  body: string | null,
): Promise<'answered' | 'reset' | 'closed'> {
  const socket = connect({
    ...{ port, host: '127.0.0.1', servername, ALPNProtocols: ['h2'], rejectUnauthorized: false },
  });
  socket.on('error', () => {});
  const block = Buffer.concat(
    fields.map(([name, value]) => Buffer.concat([Buffer.from([0]), literal(name), literal(value)])),
  );
  socket.write(preface);
  socket.write(frame(types.settings, 0, 0, Buffer.alloc(0)));
  socket.write(frame(types.headers, endHeaders + (body === null ? endStream : 0), streamId, block));
  if (body !== null) socket.write(frame(types.data, endStream, streamId, Buffer.from(body, 'latin1')));
  try {
    let received = Buffer.alloc(0);
    for await (const chunk of socket) {
      received = Buffer.concat([received, chunk as Buffer]);
      for (let at = 0; received.length >= at + 9; at += 9 + received.readUIntBE(at, 3)) {
        const type = received.readUInt8(at + 3);
        if (type === types.goAway) return 'closed';
        if (received.readUInt32BE(at + 5) !== streamId) continue;
        if (type === types.headers) return 'answered';
        if (type === types.reset) return 'reset';
      }
    }
    return 'closed';
  } finally {
    socket.destroy();
  }
}
