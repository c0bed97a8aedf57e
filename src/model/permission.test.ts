import { describe, expect, it } from 'vitest';
import { isAllowed, type Permission, permissions, roles } from './permission.js';

const names = Object.keys(permissions) as readonly Permission[];
const allowedTo = (role: (typeof roles)[number]): readonly Permission[] =>
  names.filter((permission) => isAllowed(role, permission));

describe('permissions', () => {
  it('grow with the role: each has those of the one before, and more', () => {
    const sets = roles.map(allowedTo);
    for (const [place, set] of sets.entries()) {
      const before = sets[place - 1] ?? [];
      expect(set).toEqual(expect.arrayContaining([...before]));
      expect(set.length).toBeGreaterThan(before.length);
    }
    expect(sets.at(-1)).toEqual(names);
  });

  it('let viewers read, except secrets, the audit log and everything about a person', () => {
    const hidden = ['secrets.read', 'audit.read', 'persons.read'];
    expect(allowedTo('viewer')).toEqual(
      names.filter((permission) => permission.endsWith('.read') && !hidden.includes(permission)),
    );
  });

  it('leave users, keys, the audit log and privacy requests to owners', () => {
    expect(names.filter((permission) => !isAllowed('editor', permission))).toEqual([
      'account.manage',
      'audit.read',
      'users.manage',
      'api_keys.manage',
      'identity_providers.manage',
      'persons.read',
      'persons.manage',
    ]);
  });
});
