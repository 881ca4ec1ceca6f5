import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';

export type Style = Parameters<typeof styleText>[0];

type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** The streams of a command. */
export type Streams = {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
};

/** Where a command prints: results to stdout, all else to stderr. */
export type Terminal = Streams & {
  /** Whether results are text for a reader; otherwise they are lines of JSON for a program. */
  readonly isText: boolean;
  /** Whether a question can be answered. */
  readonly isInteractive: boolean;
  readonly width: number;
  readonly print: (text: string) => void;
  readonly printJson: (value: unknown) => void;
  readonly note: (text: string) => void;
  /** Colors a text of stdout, unless it is a pipe or NO_COLOR is set. */
  readonly paint: (style: Style, text: string) => string;
};

const defaultWidth = 100;

/**
 * Returns a text without control characters, except line breaks, tabs and colors: an event, a reason or the
 * answer of a target may have any, and they would change the terminal.
 */
export function toPrintable(text: string): string {
  return text.replaceAll(colorOrControl, (_, color = ' ') => color);
}

const esc = '\u001b';
const colorOrControl = new RegExp(`(${esc}\\[\\d+m)|[^\\P{Cc}\\n\\t]|\\p{Cf}`, 'gu');

/** Opens the terminal. `isJson`: true or false as the command line says; by default a pipe gets JSON. */
export function openTerminal(streams: Streams, isJson: boolean | undefined): Terminal {
  const { stdin, stdout, stderr } = streams;
  return {
    ...streams,
    isText: !(isJson ?? !stdout.isTTY),
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    width: stdout.columns ?? defaultWidth,
    print: (text) => void stdout.write(`${toPrintable(text)}\n`),
    printJson: (value) => void stdout.write(`${JSON.stringify(value)}\n`),
    note: (text) => void stderr.write(`${toPrintable(text)}\n`),
    paint: (style, text) => styleText(style, text, { stream: stdout as NodeJS.WriteStream }),
  };
}
