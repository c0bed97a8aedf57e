import { describe, expect, it } from 'vitest';
import { replyToOf } from './reply-to.js';

describe('whom an answer goes to', () => {
  it.each<[Record<string, unknown>, string | null]>([
    [{ email: 'ada@example.org' }, 'ada@example.org'],
    [{ 'E-Mail': 'ada@example.org', other: 'x@example.org' }, 'ada@example.org'],
    [{ MAIL: 'ada@example.org' }, 'ada@example.org'],
    [{ email: 'a@example.org', _replyto: 'b@example.org' }, 'b@example.org'],
    [{ _replyto: '', email: 'a@example.org' }, 'a@example.org'],
    [{ Reply_To: 'b@example.org' }, 'b@example.org'],
    [{ contact: 'ada@example.org', name: 'Ada' }, 'ada@example.org'],
    // Either of the two could be the visitor's.
    [{ one: 'a@example.org', two: 'b@example.org' }, null],
    // The visitor gave none. The other address belongs to another person.
    [{ email: 'none', friend: 'b@example.org' }, null],
    [{ email: '', friend: 'b@example.org' }, null],
    [{ email: ['a@example.org'] }, null],
    [{ email: { address: 'a@example.org' } }, null],
    [{ email: 'a@example.org, b@example.org' }, null],
    [{ email: 'Ada <a@example.org>' }, null],
    [{ email: ' a@example.org' }, null],
    [{ email: 'a@example.org\r\nBcc: b@example.org' }, null],
    [{ email: 'a@example.org\n' }, null],
    [{ email: 'x'.repeat(1_000_000) }, null],
    [{ nested: { email: 'a@example.org' } }, null],
    [{}, null],
  ])('%j: %s', (data, expected) => {
    expect(replyToOf(JSON.stringify(data))).toBe(expected);
  });
});
