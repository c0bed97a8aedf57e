/**
 * One connection of the pool: undici's client, with sockets that the guarded connector opens. The client must not open
 * any itself, because only the connector checks addresses.
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
      // The deadline of the exchange covers everything.
      headersTimeout: 0,
      bodyTimeout: 0,
      ...options,
    });
  }

  /** The pool calls this when the connection is free. Returns whether it still is. */
  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (!(options instanceof Exchange)) throw new TypeError('Only exchanges are sent here');
    // It timed out while waiting for a connection.
    if (options.hasEnded) return true;
    options.link = this.link;
    this.link.user = options;
    const isFree = super.dispatch(options, handler);
    // It may have ended at once because one of our headers is invalid. Nothing was started then.
    return isFree || options.hasEnded;
  }
}
