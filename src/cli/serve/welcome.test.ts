import { describe, expect, it } from 'vitest';
import { localUrl, type Started, welcomeJson, welcomeLines } from './welcome.js';

const started: Started = {
  host: '0.0.0.0',
  port: 3000,
  baseUrl: 'https://forms.example.com/in',
  database: null,
  files: null,
  dataDir: '/data',
  version: '1.2.3',
  role: 'all',
  processes: 1,
  firstAccount: null,
  setupToken: null,
};

it.each([
  ['localhost', 'http://localhost:3000'],
  ['0.0.0.0', 'http://127.0.0.1:3000'],
  ['::', 'http://[::1]:3000'],
  ['fd00::1', 'http://[fd00::1]:3000'],
  ['192.0.2.7', 'http://192.0.2.7:3000'],
])('a listener on %s is reached at %s', (host, url) => {
  expect(localUrl(host, 3000)).toBe(url);
});

describe('the welcome', () => {
  it('names both addresses when they differ', () => {
    expect(welcomeLines(started)).toEqual([
      'Inlet 1.2.3 is running.',
      '  Address  https://forms.example.com/in (listening on http://127.0.0.1:3000)',
      '  Data     /data',
    ]);
  });

  it('shows the set-up link as long as nobody can sign in', () => {
    const link = 'https://forms.example.com/in/dashboard/setup#token=t0ken';
    const empty = { ...started, setupToken: 't0ken' };
    expect(welcomeLines(empty)[1], 'it is what to do first').toBe(`  Set up   ${link} (works once)`);
    expect(welcomeJson(empty)).toHaveProperty('setup_url', link);
    expect(welcomeJson(started)).not.toHaveProperty('setup_url');
  });

  it('repeats no key that the operator chose', () => {
    const first = { ...started, firstAccount: { apiKey: null } };
    const lines = welcomeLines(first);
    expect(lines).toContain('  Docs     https://forms.example.com/in/docs');
    expect(lines.at(-2)).toBe('Create your first project with the API:');
    expect(lines.at(-1)).toBe(
      '  curl http://127.0.0.1:3000/api/v1/projects -H "Authorization: Bearer $INLET_API_KEY" ' +
        `-H "Content-Type: application/json" -d '{"name":"My website"}'`,
    );
    expect(welcomeJson(first)).not.toHaveProperty('api_key');
  });
});
