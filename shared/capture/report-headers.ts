import { isCredential } from '../message/credential-headers.ts';
import type { HeaderValue } from '../message/event.ts';
import { isWholly } from './content.ts';
import { decodeAnyBase64 } from './decode-bytes.ts';
import { maxHeaders, type SingleValue, toHeaderValue } from './header-values.ts';
import { keepExactly, type Member, readText } from './json-members.ts';

/**
 * A text, a number as written, `{"base64"}`, or a list of these; null for another form, and for a list that
 * may be a name with its credential.
 */
export function readHeaderValue(member: Member): HeaderValue | null {
  const { value } = member;
  if (!Array.isArray(value)) return readSingleValue(value) ?? readText(member);
  const values = value.map(readSingleValue).filter((each) => each !== null);
  const isPair = typeof value[0] === 'string' && isCredential(value[0]);
  const isList = values.length === value.length && values.length > 0 && values.length <= maxHeaders;
  return isList && !isPair ? values : null;
}

function readSingleValue(value: unknown): SingleValue | null {
  if (typeof value === 'string') return value;
  if (!isWholly(value, base64Name) || typeof value.base64 !== 'string') return null;
  const bytes = decodeAnyBase64(value.base64);
  return bytes === undefined ? null : toHeaderValue(bytes);
}

const base64Name = new Set(['base64']);

/** An element that names a credential is withheld. */
export function keepWithoutCredentials(member: Member, name: string): unknown {
  const { value } = member;
  if (!isCredential(name) && !namesCredential(value)) return keepExactly(member);
  if (isCredential(name) || !Array.isArray(value)) return 'withheld';
  return value.map((each) => (namesCredential(each) ? 'withheld' : each));
}

/** Such as `["authorization", "..."]`; true if it is too deep to tell. */
function namesCredential(value: unknown, levels = 100): boolean {
  if (typeof value === 'string') return isCredential(value);
  if (typeof value !== 'object' || value === null) return false;
  const members = Object.entries(value);
  return (
    levels === 0 || members.some(([name, each]) => isCredential(name) || namesCredential(each, levels - 1))
  );
}
