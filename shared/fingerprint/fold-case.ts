const escaped = String.raw`\\(?:[pPu]\{[^}]*\}|u[\da-f]{4}|x[\da-f]{2}|.)`;

/** Groups, escapes, classes and letters of an expression. */
const parts = new RegExp(
  String.raw`\((?:\?(?:<?[=!]|:|-i:|<\w+>))?|\)|${escaped}|\[(?:\\.|[^\]\\])*\]|\p{L}`,
  'gisu',
);
const partsOfClass = new RegExp(String.raw`${escaped}|\p{L}-\p{L}|\p{L}`, 'gisu');

/**
 * Rewrites the source of an expression so that it ignores case without the flag `i`, except in groups
 * `(?-i:...)`; escapes stay as they are. Node.js 20 and 22 do not know such groups, and V8 forgets them where
 * it compiles without optimization, as it does in a process with many expressions.
 */
export function foldCase(source: string): string {
  const isExact = [false];
  return source.replace(parts, (text) => {
    const isInExact = isExact.at(-1) ?? false;
    if (text === ')') isExact.pop();
    if (text.startsWith('(')) isExact.push(isInExact || text === '(?-i:');
    if (text === '(?-i:') return '(?:';
    if (isInExact || /^[()\\]/.test(text)) return text;
    return text.startsWith('[') ? text.replace(partsOfClass, addOtherCase) : `[${addOtherCase(text)}]`;
  });
}

/** A letter or a range, with what it is in the other case. */
function addOtherCase(text: string): string {
  if (text.startsWith('\\')) return text;
  const others = [text.toLowerCase(), text.toUpperCase()].filter((each) => each.length === text.length);
  return [...new Set([text, ...others])].join('');
}
