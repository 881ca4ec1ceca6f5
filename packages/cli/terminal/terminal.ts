import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';

export type Style = Parameters<typeof styleText>[0];

/** A text of stdout, with a color unless it is a pipe or NO_COLOR is set. */
export type Text = string | readonly [style: Style, text: string];

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
  /** Prints a line of texts. */
  readonly print: (...texts: readonly Text[]) => void;
  readonly printJson: (value: unknown) => void;
  /** Prints JSON as it is. */
  readonly printJsonText: (json: string) => void;
  readonly note: (text: string) => void;
};

const defaultWidth = 100;

/**
 * Returns a text without control characters, except line breaks and tabs: an event, a reason or the answer
 * of a target may have any, and they would change the terminal.
 */
export function toPrintable(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]|\p{Cf}/gu, ' ');
}

/** JSON may have control characters beyond ASCII as they are, and some terminals obey them. */
function escapeControls(json: string): string {
  return json.replaceAll(
    /[^\P{Cc}\n\r\t]/gu,
    (code) => `\\u00${code.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

/** Opens the terminal. `isJson`: true or false as the command line says; by default a pipe gets JSON. */
export function openTerminal(streams: Streams, isJson: boolean | undefined): Terminal {
  const { stdin, stdout, stderr } = streams;
  const paint = (text: Text) =>
    typeof text === 'string'
      ? toPrintable(text)
      : styleText(text[0], toPrintable(text[1]), { stream: stdout as NodeJS.WriteStream });
  const printJsonText = (json: string) => void stdout.write(`${escapeControls(json)}\n`);
  return {
    ...streams,
    isText: !(isJson ?? !stdout.isTTY),
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    width: stdout.columns ?? defaultWidth,
    print: (...texts) => void stdout.write(`${texts.map(paint).join('')}\n`),
    printJson: (value) => printJsonText(JSON.stringify(value)),
    printJsonText,
    note: (text) => void stderr.write(`${toPrintable(text)}\n`),
  };
}
