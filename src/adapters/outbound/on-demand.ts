/** The sender, loaded with the first send: a start need not wait for undici, of which only a part is used. */
import type { Outbound } from '../../ports/outbound.js';
import { SenderClosed } from './faults.js';
import type { UndiciOutboundOptions } from './undici.js';

export function createOutbound(options: UndiciOutboundOptions): Outbound {
  let loading: Promise<Outbound> | null = null;
  let isClosed = false;
  const load = async (): Promise<Outbound> => {
    const { createUndiciOutbound } = await import('./undici.js');
    return createUndiciOutbound(options);
  };
  return {
    async send(request) {
      if (isClosed) throw new SenderClosed();
      loading ??= load();
      return (await loading).send(request);
    },
    async close() {
      isClosed = true;
      await (await loading)?.close();
    },
  };
}
