import type { ShownEvent } from '../api/answers.ts';

const units = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** How long ago a time is, in its largest unit: `3 min`. */
export function age(time: string | null, now: Date): string {
  return time === null ? '' : duration((now.getTime() - Date.parse(time)) / 1000);
}

/** A length of time in its largest unit: `2 h`. */
export function duration(seconds: number): string {
  const rounded = Math.max(0, Math.round(seconds));
  const [unit, size] = units.find(([, each]) => rounded >= each) ?? (['s', 1] as const);
  return `${Math.floor(rounded / size)} ${unit}`;
}

const statusNames: Readonly<Record<ShownEvent['status'], string>> = {
  PENDING: 'pending',
  PROCESSING: 'in delivery',
  SUCCEEDED: 'delivered',
  FAILED_PERMANENTLY: 'failed',
  DISCARDED: 'discarded',
};

/** A status in one word for a column. */
export function nameStatus(status: string): string {
  return statusNames[status as ShownEvent['status']] ?? status;
}

/** Deeper levels are not indented further: brackets alone would become gigabytes of spaces. */
const maxLevels = 40;

/** JSON text with a line for each value. Its digits stay as they are: JSON.parse would round large numbers. */
export function indentJson(json: string): string {
  let level = 0;
  let isInString = false;
  const startLine = () => `\n${'  '.repeat(Math.min(level, maxLevels))}`;
  // No whole strings: one of a megabyte would overflow the stack.
  return json.replaceAll(/"|\\.|[[{]\s*[\]}]|[[\]{},:]|\s+/g, (token) => {
    if (token === '"') isInString = !isInString;
    if (isInString) return token;
    switch (token) {
      case ',':
        return token + startLine();
      case ':':
        return ': ';
      case '[':
      case '{':
        level += 1;
        return token + startLine();
      case ']':
      case '}':
        level -= 1;
        return startLine() + token;
      // The end of a string, an empty object or list, or the space between tokens.
      default:
        return token.trim();
    }
  });
}
