import { createScanner, type JSONScanner } from 'jsonc-parser';

/**
 * The members of the object that valid JSON is, or of each object in its array, as they are written: printing them
 * again would change large numbers. Of equal names the last one stands, as JSON.parse has it. Scans without
 * recursion, because nesting is the sender's choice.
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

/** The elements of the array that valid JSON is, as they are written. */
export function sliceElements(json: string): string[] {
  const scanner = createScanner(json, true);
  const elements: string[] = [];
  scan(json, scanner);
  while (![']', undefined].includes(scan(json, scanner))) {
    const start = scanner.getTokenOffset();
    skipValue(json, scanner);
    elements.push(json.slice(start, scanner.getTokenOffset() + scanner.getTokenLength()));
    if (scan(json, scanner) !== ',') break;
  }
  return elements;
}

/** Valid JSON without the space between its tokens: as JSON.stringify prints it, but with no number or name changed. */
export function minify(json: string): string {
  const scanner = createScanner(json, true);
  let minified = '';
  while (scan(json, scanner) !== undefined) {
    const start = scanner.getTokenOffset();
    minified += json.slice(start, start + scanner.getTokenLength());
  }
  return minified;
}

/** From its opening to its closing brace. */
function sliceObject(json: string, scanner: JSONScanner): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  while (scan(json, scanner) === '"') {
    const name = scanner.getTokenValue();
    scan(json, scanner);
    scan(json, scanner);
    const start = scanner.getTokenOffset();
    skipValue(json, scanner);
    members.set(name, json.slice(start, scanner.getTokenOffset() + scanner.getTokenLength()));
    if (scan(json, scanner) !== ',') break;
  }
  return members;
}

/** From a value's first token to its last. */
function skipValue(json: string, scanner: JSONScanner): void {
  let depth = 0;
  for (let token = json[scanner.getTokenOffset()]; token !== undefined; token = scan(json, scanner)) {
    if (token === '{' || token === '[') depth++;
    if (token === '}' || token === ']') depth--;
    if (depth === 0) return;
  }
}

/** The first character of the next token, which tells its kind, or undefined at the end. */
function scan(json: string, scanner: JSONScanner): string | undefined {
  scanner.scan();
  return json[scanner.getTokenOffset()];
}
