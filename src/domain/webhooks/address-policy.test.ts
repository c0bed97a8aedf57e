import { describe, expect, it } from 'vitest';
import { NetworkSet, parseNetwork } from '../../kernel/addresses.js';
import { Refusal } from '../../model/errors.js';
import {
  type AddressPolicy,
  judgeAddress,
  judgeResolvedAddress,
  judgeWebhookUrl,
  refuseBadWebhookUrl,
  shownRemoteAddress,
} from './address-policy.js';
import { type OwnEndpoint, OwnEndpoints } from './own-endpoints.js';

interface Allowed {
  readonly inside?: boolean;
  readonly networks?: string[];
  readonly hosts?: string[];
  readonly own?: OwnEndpoint[];
}

const policy = (more: Allowed = {}): AddressPolicy => ({
  insideAllowed: more.inside ?? false,
  allowedNetworks: new NetworkSet((more.networks ?? []).flatMap((text) => parseNetwork(text) ?? [])),
  allowedHosts: new Set(more.hosts ?? []),
  own: new OwnEndpoints(() => new Set(), more.own),
});

const strict = policy();
const loose = policy({ inside: true });
const everything = policy({ inside: true, networks: ['0.0.0.0/0', '::/0'] });

const to = (host: string, port = 80) => ({ host, port });

describe('judgeAddress', () => {
  it.each(['93.184.216.34', '2606:4700::1111'])('lets %s pass', (address) => {
    expect(judgeAddress(strict, address)).toBeNull();
  });

  it.each(['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '::1', 'fd00::1'])(
    'keeps %s out, unless the service itself is only inside',
    (address) => {
      expect(judgeAddress(strict, address)).toContain('WEBHOOK_ALLOWED_NETWORKS');
      expect(judgeAddress(loose, address)).toBeNull();
    },
  );

  it.each(['0.0.0.0', '255.255.255.255', '224.0.0.1', '100.64.0.1', '::', 'ff02::1'])(
    'keeps %s out even inside: it is neither public nor an ordinary inside address',
    (address) => {
      expect(judgeAddress(strict, address)).not.toBeNull();
      expect(judgeAddress(loose, address)).not.toBeNull();
    },
  );

  it.each(['169.254.169.254', '169.254.0.1', 'fe80::1'])(
    'never lets %s pass, whatever networks the owner allows',
    (address) => {
      expect(judgeAddress(everything, address)).toContain('link-local or metadata');
    },
  );

  it('lets exactly the allowed networks pass', () => {
    const some = policy({ networks: ['10.1.0.0/16'] });
    expect(judgeAddress(some, '10.1.255.255')).toBeNull();
    expect(judgeAddress(some, '10.2.0.0')).not.toBeNull();
  });
});

describe('judgeResolvedAddress', () => {
  const named = policy({ hosts: ['n8n', '10.0.0.1'] });

  it('lets public addresses pass for any name', () => {
    expect(judgeResolvedAddress(strict, to('example.com'), '93.184.216.34')).toBeNull();
  });

  it.each(['10.0.0.7', '127.0.0.1', '::1', '100.64.0.9', '::ffff:10.0.0.7'])(
    'lets an allowed name, and no other, resolve to %s',
    (address) => {
      expect(judgeResolvedAddress(named, to('n8n'), address)).toBeNull();
      expect(judgeResolvedAddress(named, to('n8n.example.com'), address)).toContain(
        'WEBHOOK_ALLOWED_NETWORKS',
      );
    },
  );

  it.each(['169.254.169.254', 'fe80::1', '::ffff:169.254.169.254', 'fd00:ec2::254', '168.63.129.16'])(
    'never lets a name resolve to %s, however much is allowed',
    (address) => {
      expect(judgeResolvedAddress(policy({ hosts: ['n8n'] }), to('n8n'), address)).toContain('metadata');
      expect(judgeResolvedAddress(everything, to('n8n'), address)).toContain('metadata');
    },
  );

  it('reads a mapped or oddly written address by its bits', () => {
    expect(judgeResolvedAddress(strict, to('example.com'), '::FFFF:7F00:1')).toContain('127.0.0.1');
  });

  it('does not take a literal in the list of names for an allowed address', () => {
    expect(judgeResolvedAddress(named, to('10.0.0.1'), '10.0.0.1')).not.toBeNull();
  });

  it('refuses what is no address', () => {
    for (const text of ['', 'example.com', '127.1', '0x7f.0.0.1']) {
      expect(judgeResolvedAddress(everything, to('n8n'), text)).toContain('is not an address');
    }
  });
});

describe('judgeWebhookUrl', () => {
  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[0:0:0:0:0:ffff:7f00:1]/',
    'http://127.0.0.1./',
    'http://①②⑦.0.0.1/',
    'http://localhost/',
    'http://LOCALHOST:8080/',
    'http://localhost./',
    'http://a.localhost/',
  ])('sees that %s is this machine', (url) => {
    expect(judgeWebhookUrl(strict, url)).toContain('is not a public address');
    expect(judgeWebhookUrl(loose, url)).toBeNull();
  });

  it.each(['http://169.254.169.254/latest', 'http://[::ffff:169.254.169.254]/', 'http://0xa9fea9fe/'])(
    'sees the metadata address in %s, also when all is allowed',
    (url) => {
      expect(judgeWebhookUrl(everything, url)).toContain('metadata');
    },
  );

  it.each([
    ['not a url', 'must be a URL'],
    ['/relative', 'must be a URL'],
    ['ftp://example.com/', 'must begin with http:// or https://'],
    ['file:///etc/passwd', 'must begin with http:// or https://'],
    ['javascript:alert(1)', 'must begin with http:// or https://'],
    ['https://user@example.com/', 'must not contain a user name or password'],
    ['https://:secret@example.com/', 'must not contain a user name or password'],
    ['https://example.com:0/', 'must not use port 0'],
  ])('says why %s cannot be a target', (url, reason) => {
    expect(judgeWebhookUrl(everything, url)).toBe(reason);
  });

  it('takes names that must still be resolved, and public addresses', () => {
    for (const url of ['https://example.com/hook?x=1', 'http://example.com:8080', 'https://93.184.216.34/']) {
      expect(judgeWebhookUrl(strict, url)).toBeNull();
    }
  });

  it('takes an inside name only when it is allowed, in any spelling', () => {
    const named = policy({ hosts: ['hooks.localhost'] });
    expect(judgeWebhookUrl(named, 'http://hooks.localhost/')).toBeNull();
    expect(judgeWebhookUrl(named, 'http://HOOKS.localhost./')).toBeNull();
    expect(judgeWebhookUrl(named, 'http://other.localhost/')).not.toBeNull();
  });

  it('does not let an allowed name open an address', () => {
    expect(judgeWebhookUrl(policy({ hosts: ['127.0.0.1'] }), 'http://127.0.0.1/')).not.toBeNull();
  });
});

describe('refuseBadWebhookUrl', () => {
  it('throws a refusal that names the field and the reason', () => {
    const attempt = () => refuseBadWebhookUrl(strict, 'http://10.0.0.1/');
    expect(attempt).toThrow(Refusal);
    expect(attempt).toThrow(
      expect.objectContaining({
        kind: 'invalid',
        extra: { details: [{ path: 'webhook_url', message: expect.stringContaining('10.0.0.1') }] },
      }),
    );
  });

  it('has nothing against a URL that is not set', () => {
    expect(() => refuseBadWebhookUrl(strict, null)).not.toThrow();
    expect(() => refuseBadWebhookUrl(strict, undefined)).not.toThrow();
    expect(() => refuseBadWebhookUrl(strict, '')).toThrow(Refusal);
  });
});

describe('own endpoints', () => {
  const open = {
    inside: true,
    networks: ['0.0.0.0/0', '::/0'],
    hosts: ['localhost', 'forms.example.com', 'db'],
  };
  const guarded = policy({
    ...open,
    own: [
      { host: '127.0.0.1', port: 3000, by: 'any-address' },
      { host: 'Forms.Example.com', port: 443, by: 'none' },
      { host: 'db', port: 5432, by: 'any-address' },
    ],
  });

  it.each([
    'http://127.0.0.1:3000/f/x',
    'http://127.1:3000/',
    'http://2130706433:3000/',
    'http://[::1]:3000/',
    'http://127.0.0.2:3000/',
    'http://[::ffff:127.0.0.1]:3000/',
    'http://localhost:3000/',
    'http://hooks.LOCALHOST.:3000/',
    'https://forms.example.com/',
    'https://FORMS.example.com.:443/f/x',
    'http://forms.example.com:443/',
    'http://db:5432/',
  ])('are refused when %s is saved, whatever is allowed', (url) => {
    expect(judgeWebhookUrl(guarded, url)).toMatch(/ is this service itself, or a service that it uses$/);
  });

  it.each([
    'http://127.0.0.1:3001/',
    'http://localhost:5432/',
    'http://forms.example.com/',
    'https://other.example.com/',
    'http://db/',
  ])('leave %s alone', (url) => {
    expect(judgeWebhookUrl(guarded, url)).toBeNull();
  });

  it('are refused by name and by address at every attempt', () => {
    for (const [host, port, address] of [
      ['anything.example', 3000, '127.0.0.1'],
      ['anything.example', 3000, '::1'],
      ['db', 5432, '10.0.0.3'],
      ['forms.example.com', 443, '93.184.216.34'],
    ] as const) {
      expect(judgeResolvedAddress(guarded, to(host, port), address)).toContain('this service itself');
    }
    expect(judgeResolvedAddress(guarded, to('anything.example', 3001), '127.0.0.1')).toBeNull();
  });

  it('are not mentioned to callers who may not use inside addresses at all', () => {
    const closed = policy({ own: [{ host: '10.0.0.3', port: 5432, by: 'any-address' }] });
    const reasons = [5432, 5433].map((port) => judgeWebhookUrl(closed, `http://10.0.0.3:${port}/`));
    expect(reasons[0]).toBe(reasons[1]);
  });
});

describe('shownRemoteAddress', () => {
  it.each([
    ['https://example.com/', '93.184.216.34', '93.184.216.34'],
    ['http://10.0.0.7/', '10.0.0.7', '10.0.0.7'],
    ['http://[::ffff:a00:7]/', '10.0.0.7', '10.0.0.7'],
    ['http://n8n.example.com/', '10.0.0.7', null],
    ['http://10.0.0.8/', '10.0.0.7', null],
    ['http://n8n.example.com/', null, null],
  ])('of %s at %s is %s', (url, address, shown) => {
    expect(shownRemoteAddress(url, address)).toBe(shown);
  });
});
