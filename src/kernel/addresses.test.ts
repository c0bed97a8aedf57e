import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AddressClass,
  canonicalIp,
  classify,
  isMetadataAddress,
  memoised,
  type Network,
  NetworkSet,
  networksAround,
  parseNetwork,
  rateKey,
} from './addresses.js';

const octets = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 4, maxLength: 4 });
const groups = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff })), {
  minLength: 8,
  maxLength: 8,
});
const ipv6Text = groups.map((parts) => parts.map((part) => part.toString(16)).join(':'));
const anyAddress = fc.oneof(
  octets.map((parts) => parts.join('.')),
  ipv6Text,
);

function network(text: string): Network {
  const parsed = parseNetwork(text);
  if (parsed === null) throw new Error(`not a network: ${text}`);
  return parsed;
}

function canonical(text: string): string {
  const address = canonicalIp(text);
  if (address === null) throw new Error(`not an address: ${text}`);
  return address;
}

describe('canonicalIp', () => {
  it.each([
    ['1.2.3.4', '1.2.3.4'],
    ['0.0.0.0', '0.0.0.0'],
    ['255.255.255.255', '255.255.255.255'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['::FFFF:1.2.3.4', '1.2.3.4'],
    ['::ffff:102:304', '1.2.3.4'],
    ['0:0:0:0:0:ffff:0102:0304', '1.2.3.4'],
    ['0000:0000:0000:0000:0000:ffff:1.2.3.4', '1.2.3.4'],
    ['::ffff:0:0', '0.0.0.0'],
    ['::ffff:1.2.3.4%eth0', '1.2.3.4'],
    ['::1.2.3.4', '::102:304'],
    ['::127.0.0.1', '::7f00:1'],
    ['64:ff9b::1.2.3.4', '64:ff9b::102:304'],
    ['::', '::'],
    ['::1', '::1'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['2001:0DB8:0000:0000:0001:0000:0000:0001', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['fe80::1%eth0', 'fe80::1'],
    ['fe80::1%br-lan.100', 'fe80::1'],
    ['fe80::1%3', 'fe80::1'],
  ])('%s is %s', (text, expected) => {
    expect(canonicalIp(text)).toBe(expected);
  });

  it.each([
    '',
    ' ',
    ' 1.2.3.4',
    '1.2.3.4 ',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.256',
    '01.2.3.4',
    '0177.0.0.1',
    '0x7f.0.0.1',
    '0x7f000001',
    '2130706433',
    '127.1',
    '1.2.3.4%eth0',
    '1.2.3.4/32',
    '1.2.3.4:80',
    '１.2.3.4',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7::8:9',
    '12345::',
    '::g',
    '::ffff:01.2.3.4',
    '::ffff:1.2.3',
    '::ffff:1.2.3.256',
    '::ffff:0x1.2.3.4',
    '[::1]',
    '::1%',
    '::1% eth0',
    '::1/128',
    'localhost',
    `::1%${'a'.repeat(200)}`,
    '1'.repeat(10_000),
  ])('%j is not an address', (text) => {
    expect(canonicalIp(text)).toBeNull();
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(anyAddress, (text) => {
        const once = canonical(text);
        expect(canonicalIp(once)).toBe(once);
      }),
    );
  });

  it('folds the mapped form of any IPv4 address, dotted and in groups', () => {
    fc.assert(
      fc.property(octets, ([a = 0, b = 0, c = 0, d = 0]) => {
        const dotted = `${a}.${b}.${c}.${d}`;
        const grouped = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
        expect(canonicalIp(dotted)).toBe(dotted);
        expect(canonicalIp(`::ffff:${dotted}`)).toBe(dotted);
        expect(canonicalIp(`0:0:0:0:0:FFFF:${grouped}`)).toBe(dotted);
      }),
    );
  });

  it('never throws, whatever it is given', () => {
    const nearAddress = fc.string({ unit: fc.constantFrom(...'0123456789abcdef:.%/[]x ') });
    fc.assert(
      fc.property(fc.oneof(fc.string(), nearAddress), (text) => {
        const address = canonicalIp(text);
        if (address !== null) expect(canonicalIp(address)).toBe(address);
      }),
    );
  });
});

describe('rateKey', () => {
  it.each([
    ['1.2.3.4', '1.2.3.4'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['::1', '::/64'],
    ['', ''],
  ])('%s counts as %s', (address, key) => {
    expect(rateKey(address)).toBe(key);
    expect(rateKey(address)).toBe(key);
  });

  it('is the same for every host of a /64', () => {
    fc.assert(
      fc.property(groups, groups, (first, second) => {
        const join = (parts: number[]) => parts.map((part) => part.toString(16)).join(':');
        const prefix = [0x2001, ...first.slice(1, 4)];
        const one = canonical(join([...prefix, ...first.slice(4)]));
        const two = canonical(join([...prefix, ...second.slice(4)]));
        expect(rateKey(one)).toBe(rateKey(two));
      }),
    );
  });
});

describe('networksAround', () => {
  it.each([
    ['192.0.2.77', ['192.0.2.77', '192.0.2.0/24']],
    ['2001:db8:1:2345::7', ['2001:db8:1:2345::/64', '2001:db8:1:2300::/56', '2001:db8:1::/48']],
    ['::1', ['::/64', '::/56', '::/48']],
    ['', ['']],
  ])('%s lies in %j', (address, networks) => {
    expect(networksAround(address)).toEqual(networks);
  });

  it('begins with what a rate limit counts by', () => {
    fc.assert(
      fc.property(groups, (parts) => {
        const address = canonical(parts.map((part) => part.toString(16)).join(':'));
        expect(networksAround(address)[0]).toBe(rateKey(address));
      }),
    );
  });
});

describe('parseNetwork', () => {
  it.each([
    ['1.2.3.4', '1.2.3.4'],
    ['1.2.3.4/32', '1.2.3.4'],
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['192.168.255.255/17', '192.168.128.0/17'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8::/32', '2001:db8::/32'],
    ['2001:db8:ffff::1/33', '2001:db8:8000::/33'],
    ['::1', '::1'],
    ['::/0', '::/0'],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['::ffff:10.1.2.3/104', '10.0.0.0/8'],
    ['::ffff:a01:203/128', '10.1.2.3'],
    ['::ffff:0:0/96', '0.0.0.0/0'],
  ])('%s is the network %s', (text, expected) => {
    expect(parseNetwork(text)?.text).toBe(expected);
  });

  it.each([
    '',
    '/',
    '/8',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '10.0.0.0/8/8',
    '10.0.0.0/8 ',
    '10.0.0.0/0x8',
    '10.0.0.0/1e1',
    '10.0.0.0/255.0.0.0',
    '10/8',
    '2001:db8::/129',
    '::ffff:10.0.0.0/8',
    '::ffff:10.0.0.0/95',
    'example.com',
    'example.com/8',
  ])('%j is no network', (text) => {
    expect(parseNetwork(text)).toBeNull();
  });
});

describe('NetworkSet', () => {
  it.each([
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.1.2.3/8', '10.0.0.0', true],
    ['1.2.3.4', '1.2.3.4', true],
    ['1.2.3.4', '1.2.3.5', false],
    ['0.0.0.0/0', '255.1.2.3', true],
    ['0.0.0.0/0', '::1', false],
    ['::/0', '::1', true],
    ['::/0', '1.2.3.4', false],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['::ffff:10.0.0.0/104', '10.9.9.9', true],
    ['10.0.0.0/8', 'nonsense', false],
    ['10.0.0.0/8', '', false],
  ])('%s, asked for %s: %s', (text, address, expected) => {
    expect(new NetworkSet([network(text)]).has(address)).toBe(expected);
  });

  it('agrees with plain arithmetic on the bits', () => {
    const toBinary = (parts: number[], width: number) =>
      parts.map((part) => part.toString(2).padStart(width, '0')).join('');
    fc.assert(
      fc.property(octets, octets, fc.nat(32), fc.nat(32), (base, other, shared, length) => {
        const flipped = toBinary(base, 8).slice(0, shared) + toBinary(other, 8).slice(shared);
        const address = [0, 8, 16, 24].map((at) => Number.parseInt(flipped.slice(at, at + 8), 2)).join('.');
        const expected = flipped.slice(0, length) === toBinary(base, 8).slice(0, length);
        expect(new NetworkSet([network(`${base.join('.')}/${length}`)]).has(address)).toBe(expected);
      }),
    );
    fc.assert(
      fc.property(groups, groups, fc.nat(128), fc.nat(128), (base, other, shared, length) => {
        // Outside the mapped range, which is IPv4 by design.
        const own = [0x2001, ...base.slice(1)];
        const flipped =
          toBinary(own, 16).slice(0, shared) + toBinary([0x2001, ...other.slice(1)], 16).slice(shared);
        const parts = Array.from({ length: 8 }, (_, at) =>
          Number.parseInt(flipped.slice(at * 16, at * 16 + 16), 2),
        );
        const join = (values: number[]) => values.map((value) => value.toString(16)).join(':');
        const expected = flipped.slice(0, length) === toBinary(own, 16).slice(0, length);
        expect(new NetworkSet([network(`${join(own)}/${length}`)]).has(canonical(join(parts)))).toBe(
          expected,
        );
      }),
    );
  });

  it('has an address exactly when one of its networks contains it', () => {
    const someNetwork = fc.tuple(anyAddress, fc.nat(128)).map(([text, length]) => {
      const address = canonical(text);
      return network(`${address}/${address.includes(':') ? length : length % 33}`);
    });
    fc.assert(
      fc.property(fc.array(someNetwork, { maxLength: 12 }), anyAddress, (networks, text) => {
        const address = canonical(text);
        const expected = networks.some((each) => new NetworkSet([each]).has(address));
        expect(new NetworkSet(networks).has(address)).toBe(expected);
        for (const { text: own } of networks) {
          expect(new NetworkSet(networks).has(own.split('/')[0] ?? '')).toBe(true);
        }
      }),
    );
  });

  it('knows when it is empty', () => {
    expect(new NetworkSet([]).isEmpty).toBe(true);
    expect(new NetworkSet([]).has('1.2.3.4')).toBe(false);
    expect(new NetworkSet([network('1.2.3.4')]).isEmpty).toBe(false);
    expect(new NetworkSet([network('10.0.0.0/8')]).isEmpty).toBe(false);
  });
});

describe('classify', () => {
  const table: Record<AddressClass, string> = {
    public: `
      1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
      169.253.255.255 172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255 198.17.255.255 198.20.0.0
      223.255.255.255 ::ffff:8.8.8.8 2000::1 2001:200::1 2001:4860:4860::8888 2606:4700:4700::1111
      2a00:1450::1 3ffe:ffff::1 3fff:1000::1`,
    loopback: `
      127.0.0.1 127.255.255.255 ::1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::7f00:1 ::127.0.0.1 ::ffff:0:127.0.0.1
      64:ff9b::7f00:1 64:ff9b:1::7f00:1 2002:7f00:1::1 2001:0:4136:e378:8000:63bf:80ff:fffe`,
    private: `
      10.0.0.0 10.255.255.255 172.16.0.1 172.31.255.255 192.168.1.1 ::ffff:a00:1 ::10.0.0.1
      64:ff9b::10.0.0.1 64:ff9b:1::192.168.0.1 2002:a00:1:: 2002:c0a8:101::1
      2001:0:4136:e378:8000:63bf:f5ff:fffe fc00::1 fd12:3456:789a::1 fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff`,
    link_local: `
      169.254.0.1 169.254.169.254 ::ffff:169.254.169.254 ::ffff:a9fe:a9fe ::a9fe:a9fe ::ffff:0:a9fe:a9fe
      64:ff9b::a9fe:a9fe 64:ff9b:1::a9fe:a9fe 64:ff9b:1:a9fe:a9:fe00:: 64:ff9b:1:12a9:fe:a9fe::
      64:ff9b:1:1234:a9:fea9:fe00:: 64:ff9b:1:a83f:81:1000:: 64:ff9b:1:12a8:3f:8110::
      64:ff9b:1:1234:a8:3f81:1000:: 2002:a9fe:a9fe::1 2001:0:4136:e378:8000:63bf:5601:5601
      2001:0:a9fe:a9fe:8000:63bf:f7f7:f7f7 fe80::1 fe80::1%eth0 febf:ffff::1 100.100.100.200
      ::ffff:100.100.100.200 64:ff9b::100.100.100.200 168.63.129.16 ::ffff:a83f:8110 2002:a83f:8110::1
      192.0.0.192 fd00:ec2::254 fd00:ec2::23 fd20:ce::254 fd00:c1::a9fe:a9fe fd00:42::42`,
    special: `
      0.0.0.0 0.1.2.3 100.64.0.1 100.127.255.255 192.0.0.1 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1
      192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1
      255.255.255.255 :: ::2 ::808:808 ::ffff:0:808:808 ::ffff:0.0.0.0 64:ff9b::808:808 64:ff9b:1::808:808
      64:ff9b:2::1 100::1 100:0:0:1::1 200::1 1fff:ffff::1 2001::1 2001:0:4136:e378:8000:63bf:f7f7:f7f7
      2001:2::1 2001:10::1 2001:20::1 2001:1ff:ffff::1 2001:db8::1 2002:808:808::1 2620:4f:8000::1 3fff::1
      3fff:fff:ffff::1 4000::1 5f00::1 8000::1 fbff::1 fec0::1 ff02::1 ffff::1 64:ff9b:: 2002::1`,
  };
  const rows = Object.entries(table).flatMap(([name, texts]) =>
    texts
      .trim()
      .split(/\s+/)
      .map((text) => [text, name] as const),
  );

  it.each(rows)('%s is %s', (text, expected) => {
    expect(classify(canonical(text))).toBe(expected);
    expect(isMetadataAddress(canonical(text))).toBe(expected === 'link_local');
  });

  it.each(['', 'nonsense', '127.1', '0x7f000001'])('%j is no address, and so never public', (text) => {
    expect(classify(text)).toBe('special');
    expect(isMetadataAddress(text)).toBe(false);
  });

  it('gives a wrapped address the class of its inner one, and never calls it public', () => {
    fc.assert(
      fc.property(octets, ([a = 0, b = 0, c = 0, d = 0]) => {
        const inner = classify(`${a}.${b}.${c}.${d}`);
        const expected = inner === 'public' ? 'special' : inner;
        const high = (a * 256 + b).toString(16);
        const low = (c * 256 + d).toString(16);
        expect(classify(canonical(`::ffff:${high}:${low}`))).toBe(inner);
        expect(classify(canonical(`64:ff9b::${high}:${low}`))).toBe(expected);
        expect(classify(canonical(`2002:${high}:${low}::1`))).toBe(expected);
      }),
    );
  });

  it('calls no IPv6 address public outside 2000::/3', () => {
    fc.assert(
      fc.property(ipv6Text, (text) => {
        const address = canonical(text);
        fc.pre(address.includes(':') && !new NetworkSet([network('2000::/3')]).has(address));
        expect(classify(address)).not.toBe('public');
      }),
    );
  });
});

describe('memoised', () => {
  it('computes once per text, null results included, and starts afresh when full', () => {
    const calls: string[] = [];
    const lookUp = memoised((text) => {
      calls.push(text);
      return text === 'a' ? null : text.length;
    }, 2);
    expect([lookUp('a'), lookUp('a'), lookUp('bb'), lookUp('bb')]).toEqual([null, null, 2, 2]);
    expect(calls).toEqual(['a', 'bb']);
    expect([lookUp('ccc'), lookUp('a')]).toEqual([3, null]);
    expect(calls).toEqual(['a', 'bb', 'ccc', 'a']);
  });
});
