import { matching } from './setting-schemas.ts';

/** An IAM principal; allUsers and allAuthenticatedUsers are rejected. */
export const MemberSchema = matching(
  /^((user|group|serviceAccount):[^\s:@A-Z]+@|domain:)[^\s:@A-Z]+$|^principal(Set)?:\/\/\S+$/,
  'Must look like user:ana@example.com, group:..., serviceAccount:... or domain:..., in lower case; allUsers is not allowed.',
);

/** A user of the console, identified by address: the console cannot resolve groups. */
export const UserSchema = matching(
  /^((user|serviceAccount):[^\s:*,@A-Z]+@|domain:)[^\s:*,@A-Z]+$/,
  'Must look like user:ana@example.com, serviceAccount:... or domain:example.com, in lower case: the console cannot resolve groups.',
);

/** Returns the form that the console expects: an address, or `*@example.com` for a domain. */
export function toAddress(user: string): string {
  return user.replace(/^domain:/, '*@').replace(/^\w+:/, '');
}

/** Returns a part of a resource name that depends on `member` only. */
export function slugOf(member: string): string {
  return member
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}
