import { describe, expect, it } from 'vitest';
import { changedValues } from './changes.js';

const shown = (before: object | null, after: object | null) => {
  const { beforeValues, afterValues } = changedValues(before, after);
  const read = (text: string | null) => (text === null ? null : JSON.parse(text));
  return { before: read(beforeValues), after: read(afterValues) };
};

describe('the values of a change', () => {
  it('are those that differ, under the names of the API', () => {
    const form = { id: 'f', name: 'Contact', isActive: true, notifyEmails: ['a@example.com'], updatedAt: 1 };
    const changed = { ...form, isActive: false, notifyEmails: [], updatedAt: 2 };
    expect(shown(form, changed)).toEqual({
      before: { is_active: true, notify_emails: ['a@example.com'] },
      after: { is_active: false, notify_emails: [] },
    });
    expect(shown(form, form)).toEqual({ before: null, after: null });
  });

  it('are all that something has which is new or gone, without what is empty', () => {
    expect(shown(null, { id: 'x', name: 'New', color: null })).toEqual({
      before: null,
      after: { name: 'New' },
    });
    expect(shown({ name: 'Old' }, null)).toEqual({ before: { name: 'Old' }, after: null });
  });

  it('have times as people read them', () => {
    expect(shown({ closesAt: null }, { closesAt: 0 })).toEqual({
      before: { closes_at: null },
      after: { closes_at: '1970-01-01T00:00:00.000Z' },
    });
  });

  it('have no secret, however deep, but show that one was set, replaced or removed', () => {
    const secrets = ['webhookSecret', 'sandboxApiKey', 'passwordHash', 'bot_token', 'private_key'];
    for (const name of secrets) {
      expect(shown({ [name]: null }, { [name]: 'hush' }).after).toEqual(
        Object.fromEntries([[Object.keys(shown(null, { [name]: 'x' }).after)[0], '…']]),
      );
      expect(
        JSON.stringify(shown({ config: { [name]: 'hush' } }, { config: { [name]: 'hush2' } })),
      ).not.toContain('hush');
    }
    expect(shown({ webhookSecret: 'a' }, { webhookSecret: 'b' })).toEqual({
      before: { webhook_secret: '…' },
      after: { webhook_secret: '…' },
    });
  });

  it('are bounded', () => {
    const long = 'x'.repeat(10_000);
    expect(shown(null, { text: long }).after).toEqual({ text: '[too long]' });
    const many = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`field${index}`, 'y'.repeat(1_000)]),
    );
    expect(changedValues(null, many).afterValues?.length).toBeLessThanOrEqual(16 * 1024);
    const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field${index}`, long]));
    expect(changedValues(null, wide).afterValues?.length).toBeLessThanOrEqual(16 * 1024);
  });
});
