import type { Node } from 'jsonc-parser';
import { indexMembers } from './json-nodes.ts';

type Texts = { readonly text: string; readonly other: string };

/**
 * Compares two JSON values, of two texts, as RFC 6902, 4.6, defines equality: numbers by value, to the last
 * digit. Throws PatchError for an object that repeats a name.
 */
export function equalJson(a: Node, b: Node | undefined, texts: Texts): boolean {
  if (a.type !== b?.type) return false;
  if (a.type === 'number') return normalizeNumber(a, texts.text) === normalizeNumber(b, texts.other);
  if (a.type !== 'object' && a.type !== 'array') return a.value === b.value;
  const [own = [], others = []] = [a.children, b.children];
  if (own.length !== others.length) return false;
  if (a.type === 'array') return own.every((child, i) => equalJson(child, others[i], texts));
  const members = indexMembers(b);
  return [...indexMembers(a)].every(([name, member]) => equalJson(member, members.get(name), texts));
}

/** 1.50e3, 1500 and 15e2 become 15e2. */
function normalizeNumber({ offset, length }: Node, text: string): string {
  const [number = '', sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text.slice(offset, offset + length)) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  let end = digits.length;
  // Not by /0+$/, which searches on from each zero of a long number.
  while (digits[end - 1] === '0') end--;
  if (end === 0) return '0';
  // A number for a million digits takes seconds.
  if (exponent.length > 1000) return number;
  const shift = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - end);
  return `${sign}${digits.slice(0, end)}e${shift}`;
}
