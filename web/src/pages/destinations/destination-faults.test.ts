import { expect, it } from 'vitest';
import { destinationFaults } from './destination-faults.js';

it('puts each fault at its field, and says where in it', () => {
  const details = [
    { path: 'config.url', message: 'must be a URL' },
    { path: 'config.url', message: 'must be short' },
    { path: 'config.headers.X-Foo', message: 'is too long' },
    { path: 'filter.submission.data.age.$gt', message: 'must be a number or text' },
    { path: 'retry.delays.3', message: 'must be a number' },
    { path: 'name', message: 'is required' },
    { path: 'config.to.1', message: 'must be an e-mail address' },
  ];
  expect(destinationFaults(details, { to: ['a@example.com', 'x@'] })).toEqual({
    'config.url': 'Must be a URL',
    'config.headers': 'X-Foo: is too long',
    filter: 'submission.data.age.$gt: must be a number or text',
    retry: 'delays.3: must be a number',
    name: 'Is required',
    'config.to': 'x@: must be an e-mail address',
  });
});
