import { describe, expect, it } from 'vitest';
import { bucketOf } from './urls.js';

describe('bucketOf', () => {
  it.each([
    ['s3://files', { bucket: 'files', endpoint: null, region: null, links: true }],
    [
      's3://files?endpoint=http://minio:9000&region=eu-1&links=off',
      { bucket: 'files', endpoint: 'http://minio:9000', region: 'eu-1', links: false },
    ],
    ['s3://My.Files/?links=on&region=', { bucket: 'My.Files', endpoint: null, region: null, links: true }],
  ])('reads %s', (text, expected) => {
    expect(bucketOf(text)).toEqual(expected);
  });
});
