import { describe, expect, it } from 'vitest';
import { bucketEndpoints, serviceEndpoints, webEndpoint } from './endpoints.js';

const none = { databaseUrl: null, redisUrl: null, smtpUrl: null };
const database = (databaseUrl: string) => serviceEndpoints({ ...none, databaseUrl });

describe('the endpoints of a database URL', () => {
  it.each([
    ['postgres://u:p@db.example/inlet', [{ host: 'db.example', port: 5432 }]],
    ['postgres://u:p@10.0.0.3:6432/inlet', [{ host: '10.0.0.3', port: 6432 }]],
    ['postgres://u:p@[fd00::3]:6432/inlet', [{ host: '[fd00::3]', port: 6432 }]],
    [
      'postgres://u@a,b:6432/inlet',
      [
        { host: 'a', port: 6432 },
        { host: 'b', port: 6432 },
      ],
    ],
    [
      'postgres://u@ignored:1/inlet?host=a,b&port=5432,5433',
      [
        { host: 'a', port: 5432 },
        { host: 'b', port: 5433 },
      ],
    ],
    ['postgres:///inlet?host=/var/run/postgresql', []],
    ['postgres://%2Fvar%2Frun%2Fpostgresql/inlet', []],
    ['postgres:///inlet?host=/var/run/postgresql,a', [{ host: 'a', port: 5432 }]],
  ])('%s', (url, endpoints) => {
    expect(database(url)).toEqual(endpoints);
  });
});

it('knows the usual ports of Redis and mail servers', () => {
  const smtp = (smtpUrl: string) => serviceEndpoints({ ...none, smtpUrl });
  expect(serviceEndpoints({ ...none, redisUrl: 'rediss://:p@cache/0' })).toEqual([
    { host: 'cache', port: 6379 },
  ]);
  expect(smtp('smtp://u:p@mail')).toEqual([{ host: 'mail', port: 587 }]);
  expect(smtp('smtps://u:p@mail?requireTLS=true')).toEqual([{ host: 'mail', port: 465 }]);
  expect(smtp('smtp://mail:2525')).toEqual([{ host: 'mail', port: 2525 }]);
});

it('names the server of a bucket, and the bucket at it', () => {
  expect(bucketEndpoints('s3://files?endpoint=http://minio:9000')).toEqual([
    { host: 'minio', port: 9000 },
    { host: 'files.minio', port: 9000 },
  ]);
  expect(bucketEndpoints('s3://files?region=eu-central-1')).toEqual([
    { host: 's3.eu-central-1.amazonaws.com', port: 443 },
    { host: 'files.s3.eu-central-1.amazonaws.com', port: 443 },
  ]);
  expect([bucketEndpoints('s3://files'), bucketEndpoints(null)]).toEqual([[], []]);
});

it('knows the usual ports of the web', () => {
  expect(webEndpoint('https://forms.example.com/forms')).toEqual({ host: 'forms.example.com', port: 443 });
  expect(webEndpoint('http://forms.example.com')).toEqual({ host: 'forms.example.com', port: 80 });
  expect(webEndpoint('http://forms.example.com:8080')).toEqual({ host: 'forms.example.com', port: 8080 });
});
