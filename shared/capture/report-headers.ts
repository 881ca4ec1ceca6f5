import { isDeeper, isObject, printJson } from '../json/parse-json.ts';
import { isCredential } from '../message/credential-headers.ts';
import type { HeaderValue } from '../message/event.ts';
import { decodeAnyBase64 } from './decode-bytes.ts';
import { maxHeaders, type SingleValue, toHeaderValue } from './header-values.ts';
import { keepExactly, type Member, readText } from './json-members.ts';
import { isWholly } from './wholly.ts';

/**
 * The value of a header in a report: text, a number as written, `{"base64"}` for other bytes, or a list of
 * these. Null for a value of another form; also for a list that may be a name with its credential.
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

/** The value of a header, or of headers in another form, as it is kept: without credentials. */
export function keepWithoutCredentials(member: Member, name: string): unknown {
  // Deeper than any headers are.
  if (isDeeper(member.value, 100)) return 'withheld';
  const withheld = withholdCredentials(member.value, name);
  return printJson(withheld) === printJson(member.value) ? keepExactly(member) : withheld;
}

/** Members, pairs such as `["authorization", "..."]`, and objects with a name and a value. */
function withholdCredentials(value: unknown, name: unknown = ''): unknown {
  if (typeof name === 'string' && isCredential(name)) return 'withheld';
  if (Array.isArray(value)) {
    const isPair = value.length === 2 && typeof value[0] === 'string' && isCredential(value[0]);
    return isPair ? [value[0], 'withheld'] : value.map((each) => withholdCredentials(each));
  }
  if (!isObject(value)) return value;
  const named = value.name ?? value.key;
  return Object.fromEntries(
    Object.entries(value).map(([own, each]) => [
      own,
      own === 'name' || own === 'key' ? each : withholdCredentials(each, own === 'value' ? named : own),
    ]),
  );
}
