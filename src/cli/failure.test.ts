import { describe, expect, it } from 'vitest';
import { BlobsFull, BlobsUnavailable } from '../ports/blobs.js';
import { StoreFull, StoreUnavailable } from '../ports/store.js';
import { CannotRun } from './command.js';
import { reasonsOf } from './failure.js';

const systemError = (fields: Record<string, unknown>): Error => Object.assign(new Error('raw'), fields);
const full = [
  'There is no space left on the disk. Free some on the disk of DATA_DIR, or of the database, then try again.',
];

describe('reasonsOf', () => {
  it.each([
    [new CannotRun('one', 'two'), ['one', 'two']],
    [new StoreUnavailable('broken\nat line 7'), ['broken']],
    [new BlobsUnavailable('no bucket\nat line 7'), ['no bucket']],
    [new StoreFull('x'), full],
    [new BlobsFull('x'), full],
    [systemError({ code: 'ENOSPC', syscall: 'write' }), full],
    [
      systemError({ code: 'EROFS', syscall: 'mkdir', path: '/data' }),
      ['Cannot use /data: the file system is read-only. Check the path and its permissions.'],
    ],
    [
      systemError({ code: 'EACCES', syscall: 'listen', address: '::', port: 80 }),
      [
        'Cannot listen on [::]:80: permission denied. Set a PORT (or OPS_PORT) above 1023, or allow this user to use it.',
      ],
    ],
    [
      systemError({ code: 'EADDRNOTAVAIL', syscall: 'listen', address: '192.0.2.1', port: 3000 }),
      ['Cannot listen on 192.0.2.1:3000: EADDRNOTAVAIL. Set HOST to an address of this machine.'],
    ],
    [
      systemError({ code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: 'nowhere' }),
      ['Cannot listen on "nowhere": the name is not known. Set HOST to an address of this machine.'],
    ],
  ])('%s', (error, reasons) => {
    expect(reasonsOf(error)).toEqual(reasons);
  });

  it('has no words for an internal error', () => {
    expect(reasonsOf(new TypeError('x is undefined'))).toBeNull();
    expect(reasonsOf(systemError({ code: 'ECONNRESET', syscall: 'read' }))).toBeNull();
    expect(reasonsOf('text')).toBeNull();
  });
});
