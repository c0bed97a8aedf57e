export interface FoundPeer {
  readonly name: string;
  readonly versions: string;
  /** Where it is installed. If it is not, `why` has the reason. */
  readonly folder?: string;
  readonly why?: string;
}
export const peers: Readonly<
  Record<string, { readonly packages: Readonly<Record<string, string>>; readonly machine?: string }>
>;
export function findPeer(
  name: string,
  mode: 'install' | 'installed' | 'none',
  machine?: string,
): Promise<FoundPeer>;
