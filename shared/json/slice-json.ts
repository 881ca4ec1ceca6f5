import { createScanner, type JSONScanner } from 'jsonc-parser';

/**
 * Slices a JSON object, or each object of a JSON array, into the text of its members by name. Valid JSON
 * only. Members stay as written, because printing them would change large numbers. The last of equal names
 * wins, as in JSON.parse; an earlier, other one is `NAME (i)`. Scans without recursion, because senders
 * choose the depth of nesting.
 */
export function sliceMembers(json: string): ReadonlyMap<string, string>[] {
  const scanner = createScanner(json, true);
  const objects: ReadonlyMap<string, string>[] = [];
  if (scan(json, scanner) === '[') scan(json, scanner);
  while (json[scanner.getTokenOffset()] === '{') {
    objects.push(sliceObject(json, scanner));
    // The comma between two objects, or the end.
    if (scan(json, scanner) === ',') scan(json, scanner);
  }
  return objects;
}

/** Slices a JSON array into the text of its elements, of which it returns up to `max`. Valid JSON only. */
export function sliceElements(json: string, max = Number.POSITIVE_INFINITY): string[] {
  const scanner = createScanner(json, true);
  const elements: string[] = [];
  scan(json, scanner);
  while (elements.length < max && ![']', undefined].includes(scan(json, scanner))) {
    const start = scanner.getTokenOffset();
    skipValue(json, scanner);
    elements.push(json.slice(start, scanner.getTokenOffset() + scanner.getTokenLength()));
    if (scan(json, scanner) !== ',') break;
  }
  return elements;
}

/** Removes the whitespace between the tokens of valid JSON, and changes no number and no name. */
export function minify(json: string): string {
  return joinTokens(json, (token) => token);
}

/**
 * Like minify, with each string as JSON.stringify prints it: only numbers and the order of members keep their
 * notation.
 */
export function normalize(json: string): string {
  return joinTokens(json, (token, text) => (token.startsWith('"') ? JSON.stringify(text) : token));
}

function joinTokens(json: string, print: (token: string, text: string) => string): string {
  const scanner = createScanner(json, true);
  let joined = '';
  while (scan(json, scanner) !== undefined) {
    const start = scanner.getTokenOffset();
    joined += print(json.slice(start, start + scanner.getTokenLength()), scanner.getTokenValue());
  }
  return joined;
}

/** Moves the scanner from an object's opening brace to its closing brace. */
function sliceObject(json: string, scanner: JSONScanner): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  while (scan(json, scanner) === '"') {
    const name = scanner.getTokenValue();
    scan(json, scanner);
    scan(json, scanner);
    const start = scanner.getTokenOffset();
    skipValue(json, scanner);
    const text = json.slice(start, scanner.getTokenOffset() + scanner.getTokenLength());
    const earlier = members.get(name);
    if (earlier !== undefined && earlier !== text) keepEarlier(members, name, earlier);
    members.set(name, text);
    if (scan(json, scanner) !== ',') break;
  }
  return members;
}

function keepEarlier(members: Map<string, string>, name: string, text: string): void {
  let i = members.size;
  while (members.has(`${name} (${i})`)) i++;
  members.set(`${name} (${i})`, text);
}

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
