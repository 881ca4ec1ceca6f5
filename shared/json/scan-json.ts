import type { JSONScanner } from 'jsonc-parser';

/** Moves the scanner from a value's first token to its last. */
export function skipValue(json: string, scanner: JSONScanner): void {
  let depth = 0;
  for (let token = json[scanner.getTokenOffset()]; token !== undefined; token = scan(json, scanner)) {
    if (token === '{' || token === '[') depth++;
    if (token === '}' || token === ']') depth--;
    if (depth === 0) return;
  }
}

/** Returns the first character of the next token, which identifies its kind, or undefined at the end. */
export function scan(json: string, scanner: JSONScanner): string | undefined {
  scanner.scan();
  return json[scanner.getTokenOffset()];
}
