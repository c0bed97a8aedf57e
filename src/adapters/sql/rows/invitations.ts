/** Invitations, and the links that are mailed to logins, as rows. */
import type { Invitation, LoginLink } from '../../../model/sign-in.js';
import type { InvitationStore, LoginLinkStore } from '../../../ports/sign-in.js';
import { changesAny, type SqlContext } from '../context.js';
import { mapped } from '../mapping.js';

const invitations = mapped<Invitation>()('id accountId email role createdAt expiresAt');
const links = mapped<LoginLink>()('tokenHash loginId purpose email passwordHash createdAt expiresAt');

export const invitationStore = ({ read, write }: SqlContext): InvitationStore => ({
  async put(invitation, tokenHash) {
    const row = { ...invitations.toRow(invitation), token_hash: tokenHash };
    const { account_id: _, email: __, ...changed } = row;
    await write
      .insertInto('invitations')
      .values(row)
      .onConflict((conflict) => conflict.columns(['account_id', 'email']).doUpdateSet(changed))
      .execute();
  },
  async findByToken(tokenHash) {
    const row = await read
      .selectFrom('invitations')
      .selectAll()
      .where('token_hash', '=', tokenHash)
      .executeTakeFirst();
    return row ? invitations.toNoun(row) : null;
  },
  async list(accountId, now) {
    const rows = await read
      .selectFrom('invitations')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('expires_at', '>', now)
      .orderBy('id')
      .execute();
    return rows.map(invitations.toNoun);
  },
  delete: (accountId, id) =>
    changesAny(write.deleteFrom('invitations').where('account_id', '=', accountId).where('id', '=', id)),
});

export const loginLinkStore = ({ read, write }: SqlContext): LoginLinkStore => ({
  async create(link) {
    await write.insertInto('login_links').values(links.toRow(link)).execute();
  },
  async find(tokenHash, purpose) {
    const row = await read
      .selectFrom('login_links')
      .selectAll()
      .where('token_hash', '=', tokenHash)
      .where('purpose', '=', purpose)
      .executeTakeFirst();
    return row ? links.toNoun(row) : null;
  },
  take: (tokenHash, purpose) =>
    changesAny(
      write.deleteFrom('login_links').where('token_hash', '=', tokenHash).where('purpose', '=', purpose),
    ),
  async voidAll(loginId, purpose) {
    await write
      .deleteFrom('login_links')
      .where('login_id', '=', loginId)
      .where('purpose', '=', purpose)
      .execute();
  },
});
