/**
 * One connection of the pool: undici's client, with sockets that the guarded connector opens. The client opens none of
 * its own: what it is given was judged, anything else was not.
 */
import { Client, type Dispatcher } from 'undici';
import { Exchange } from './exchange.js';
import type { OutboundLimits } from './limits.js';
import type { Link } from './link.js';

export class LinkedClient extends Client {
  constructor(
    private readonly link: Link,
    limits: OutboundLimits,
    options: Client.Options = {},
  ) {
    super(link.target.origin, {
      connect: link.connect,
      maxHeaderSize: limits.maxHeadBytes,
      keepAliveTimeout: limits.idleMs,
      keepAliveMaxTimeout: limits.idleMs,
      // One deadline covers everything; it is the exchange's.
      headersTimeout: 0,
      bodyTimeout: 0,
      ...options,
    });
  }

  /** The pool calls this when the connection is free: what it says is whether it still is. */
  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (!(options instanceof Exchange)) throw new TypeError('Only exchanges are sent here');
    // Its time was up while it waited for a connection.
    if (options.hasEnded) return true;
    options.link = this.link;
    this.link.user = options;
    const isFree = super.dispatch(options, handler);
    // It may have ended at once, with a header of ours that is not valid: then nothing was begun.
    return isFree || options.hasEnded;
  }
}
