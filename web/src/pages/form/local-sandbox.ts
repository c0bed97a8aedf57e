/** Defaults for a form created on localhost: a live form rejects submissions from localhost, where the page is being built. */
import { useInstance } from '../../queries.js';
import type { FormBody } from '../../wire.js';

const isLocal = /^(.+\.)?localhost$|^127\.|^\[::1\]$/.test(window.location.hostname);

export function useLocalSandbox(): Pick<FormBody, 'validation_mode' | 'sandbox_ips'> {
  const instance = useInstance();
  if (!isLocal) return {};
  // In a container this browser's address is not the loopback address.
  const own = ['127.0.0.1', '::1', ...(instance.data ? [instance.data.your_ip] : [])];
  return { validation_mode: 'sandbox', sandbox_ips: [...new Set(own)] };
}
