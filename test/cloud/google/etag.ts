import { randomBytes } from 'node:crypto';

/** A tag that changes with every write. */
export function newEtag(): string {
  return randomBytes(6).toString('base64');
}
