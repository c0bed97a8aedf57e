import { expect, it } from 'vitest';
import { readRoleLines, roleLines } from './role-lines.js';

it('reads what it writes', () => {
  const roles = { admins: 'owner', 'all of us': 'viewer' } as const;
  expect(readRoleLines(roleLines(roles))).toEqual({ roles });
  expect(readRoleLines('\n  admins =Owner \n\n')).toEqual({ roles: { admins: 'owner' } });
  expect(readRoleLines('cn=staff = editor')).toEqual({ roles: { 'cn=staff': 'editor' } });
});

it('says which line is wrong', () => {
  expect(readRoleLines('admins = owner\nstaff')).toEqual({ wrong: 'staff' });
  expect(readRoleLines('staff = king')).toEqual({ wrong: 'staff = king' });
});
