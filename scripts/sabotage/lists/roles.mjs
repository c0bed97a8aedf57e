/** Sabotages of roles and of what a user or key can reach. */
const matrix = 'test/http/management/permissions.test.ts';
const roles = 'test/http/management/roles.test.ts';

export const ofRoles = [
  {
    name: 'reach-of-the-whole-account',
    breaks: 'A user or a key that is limited to projects finds nothing of the others',
    patches: [
      {
        file: 'src/adapters/sql/reach.ts',
        find: '  if (projectIds === null) return sql<SqlBool>`1 = 1`;\n',
        put: '  if (projectIds !== undefined) return sql<SqlBool>`1 = 1`;\n',
      },
    ],
    test: {
      file: matrix,
      name: 'shows those who are outside nothing of the project, as if it did not exist, and lets them change nothing in it',
    },
    because: /AssertionError/,
  },
  {
    name: 'any-role-is-enough',
    breaks: 'Each operation needs the permission that it names',
    patches: [
      {
        file: 'src/model/account.ts',
        find: '  if (role !== null) return isAllowed(role, permission) ? who : null;\n',
        put: '  if (role !== null) return isAllowed(role, permission) || role ? who : null;\n',
      },
    ],
    test: { file: matrix, name: 'refuses everybody who may not, says why, and changes nothing' },
    because: /AssertionError/,
  },
  {
    name: 'no-owner-left',
    breaks: 'An account always has an owner',
    patches: [
      {
        file: 'src/domain/accounts/users.ts',
        find: "        if (found.user.role === 'owner') await requireOwner(tx, accountId);\n",
        put: '',
      },
    ],
    test: { file: roles, name: 'stays when two demote each other at the same moment' },
    because: /AssertionError/,
  },
  {
    name: 'streams-outlive-the-role',
    breaks: 'An event stream of an owner ends when they get another role',
    patches: [
      {
        file: 'src/http/api/events.ts',
        find: ' || hearsAudit(now) !== hearsAudit(who)',
        put: '',
      },
    ],
    test: {
      file: 'test/http/management/events.test.ts',
      name: 'of an owner ends when they get another role',
    },
    because: /expected false to be true/,
  },
  {
    name: 'streams-outlive-the-projects',
    breaks: 'An event stream ends when its user is limited to projects',
    patches: [
      {
        file: 'src/http/api/events.ts',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text
        find: '`${now.projectIds}` !== `${who.projectIds}` || ',
        put: '',
      },
    ],
    test: {
      file: 'test/http/management/events.test.ts',
      name: 'of a member ends when they are limited to a project',
    },
    because: /expected false to be true/,
  },
  {
    name: 'claim-leaves-no-owner',
    breaks: 'A claim of a provider takes the role of the last owner from nobody',
    patches: [
      {
        file: 'src/domain/accounts/provider-sign-in.ts',
        find: "if (user.role === 'owner' && !others.some((other) => other.role === 'owner')) return user;",
        put: '',
      },
    ],
    test: {
      file: 'test/http/session/single-sign-on.test.ts',
      name: 'a claim takes the role of an owner, unless there is no other: nobody could correct a wrong claim',
    },
    because: /AssertionError/,
  },
  {
    name: 'role-of-another-project',
    breaks: 'A role in one project gives nothing in another one',
    patches: [
      {
        file: 'src/model/account.ts',
        find: '.filter((one) => isAllowed(one.role, permission))',
        put: '.filter(() => projects.some((one) => isAllowed(one.role, permission)))',
      },
    ],
    test: {
      file: matrix,
      name: 'shows those who are outside nothing of the project, as if it did not exist, and lets them change nothing in it',
    },
    because: /AssertionError/,
  },
];
