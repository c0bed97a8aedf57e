/** Finds the entries of a list of addresses and networks (`203.0.113.0/24`) that contain an address. Pure. */

interface Bits {
  readonly width: 32 | 128;
  readonly value: bigint;
}

function bitsOf(text: string): Bits | null {
  const four = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (four !== null) {
    const parts = four.slice(1).map(Number);
    if (parts.some((part) => part > 255)) return null;
    return { width: 32, value: parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n) };
  }
  // The URL parser accepts every spelling of an IPv6 address and normalizes it.
  if (!/^[0-9a-f:.]+$/i.test(text) || !URL.canParse(`http://[${text}]`)) return null;
  const [head = '', tail] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::');
  const groupsOf = (part: string): readonly string[] => (part === '' ? [] : part.split(':'));
  const [before, after] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  const value = [...before, ...zeros, ...after].reduce(
    (sum, group) => sum * 65_536n + BigInt(`0x${group}`),
    0n,
  );
  return { width: 128, value };
}

export function isIn(entry: string, address: string): boolean {
  const [base = '', length] = entry.split('/');
  const [network, host] = [bitsOf(base), bitsOf(address)];
  if (network === null || host === null || network.width !== host.width) return false;
  const free = BigInt(network.width - Math.min(Number(length ?? network.width), network.width));
  return network.value >> free === host.value >> free;
}

export const entriesWith = (list: readonly string[], address: string): readonly string[] =>
  list.filter((entry) => isIn(entry, address));
