import type { Calls, Listing } from '../calls.ts';
import { confirmed, confirmedAlone, type ConfirmOptions } from '../confirming.ts';
import type { QueryOf, Schema } from '../described-api.ts';
import type { CallOptions } from '../request.ts';

export interface ChangeMemberRequest extends Schema<'ChangeMemberRequest'> {}
export interface InviteMemberRequest extends Schema<'InviteMemberRequest'> {}
export interface Member extends Schema<'Member'> {}
export interface MemberRemoved extends Schema<'MemberRemoved'> {}
export interface NotificationSettings extends Schema<'NotificationSettings'> {}
export interface UpdateNotificationsRequest extends Schema<'UpdateNotificationsRequest'> {}
export interface MemberFilters extends QueryOf<'/v1/members'> {}

/** The people of the account, for whoever is signed in; only admins change them. Those who came first come first. */
export interface MembersResource extends Listing<Member, MemberFilters> {
  /** An admin takes a code. */
  invite(body: InviteMemberRequest, options?: ConfirmOptions): Promise<Member>;
  /** Takes a code; `last_admin` where nobody else is one. */
  update(email: string, body: ChangeMemberRequest, options?: ConfirmOptions): Promise<Member>;
  /** Takes a code, and ends all their sessions; `last_admin` where nobody else is one. */
  remove(email: string, options?: ConfirmOptions): Promise<MemberRemoved>;
  /** Which emails the person who is signed in receives. */
  getNotifications(options?: CallOptions): Promise<NotificationSettings>;
  updateNotifications(body: UpdateNotificationsRequest, options?: CallOptions): Promise<NotificationSettings>;
}

export default function createMembers({ call, listing }: Calls): MembersResource {
  return {
    ...listing('/v1/members'),
    invite: async (body, options) => (await call('post', '/v1/members', confirmed(body, options))).json,
    update: async (email, body, options) =>
      (await call('patch', '/v1/members/{email}', { ...confirmed(body, options), path: { email } })).json,
    remove: async (email, options) =>
      (await call('delete', '/v1/members/{email}', { ...confirmedAlone(options), path: { email } })).json,
    getNotifications: async (options) => (await call('get', '/v1/members/me/notifications', { ...options })).json,
    updateNotifications: async (body, options) =>
      (await call('patch', '/v1/members/me/notifications', { ...options, body })).json,
  };
}
