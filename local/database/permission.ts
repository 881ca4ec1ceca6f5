import { statSync } from 'node:fs';
import { dirname } from 'node:path';

export type SystemUser = { readonly uid: number; readonly gid: number };

/** Returns whether a user may pass through a folder and all folders above it. */
export function mayEnter(user: SystemUser, folder: string): boolean {
  const parent = dirname(folder);
  return maySearch(user, folder) && (parent === folder || mayEnter(user, parent));
}

function maySearch(user: SystemUser, folder: string): boolean {
  const { mode, uid, gid } = statSync(folder);
  if (uid === user.uid) return (mode & 0o100) !== 0;
  if (gid === user.gid) return (mode & 0o010) !== 0;
  return (mode & 0o001) !== 0;
}
