import { describe, expect, it } from 'vitest';
import { loadConfig } from './load.js';

function faultsOf(env: Record<string, string>): readonly string[] {
  const loaded = loadConfig(env);
  return loaded.ok ? [] : loaded.faults;
}

describe('names that are no setting', () => {
  it.each([
    ['INLET_APIKEY', 'did you mean INLET_API_KEY?'],
    ['INLET_ADMIN_MAIL', 'did you mean INLET_ADMIN_EMAIL?'],
    ['INLET_SECRETS', 'did you mean INLET_SECRET?'],
    ['INLET_PORT', 'did you mean PORT?'],
    ['INLET_DATA_DIR', 'did you mean DATA_DIR?'],
    ['INLET_COLOUR', 'expected INLET_SECRET, INLET_API_KEY, INLET_ADMIN_EMAIL, INLET_ADMIN_PASSWORD'],
  ])('%s', (name, hint) => {
    expect(faultsOf({ [name]: 'hush' })).toEqual([`${name} is not a setting; ${hint}`]);
  });

  it('lets the variables pass that Kubernetes makes for a service called inlet', () => {
    expect(
      faultsOf({
        INLET_SERVICE_HOST: '10.0.0.1',
        INLET_SERVICE_PORT: '3000',
        INLET_SERVICE_PORT_HTTP: '3000',
        INLET_PORT: 'tcp://10.0.0.1:3000',
        INLET_PORT_3000_TCP: 'tcp://10.0.0.1:3000',
        INLET_PORT_3000_TCP_ADDR: '10.0.0.1',
      }),
    ).toEqual([]);
  });
});
