import { styleText } from 'node:util';

/** Who speaks in a line. */
export type Speaker = 'office' | 'capture' | 'retry' | 'replay' | 'console' | 'maintain' | 'shop';

export type Terminal = {
  /** One line with the time and who says it; further lines of the text are indented below it. */
  readonly say: (speaker: Speaker, text: string) => void;
  /** Text as it is, without time or speaker. */
  readonly print: (text: string) => void;
  /** The same, with an empty line before and after it. */
  readonly printBlock: (text: string) => void;
};

type Style = Parameters<typeof styleText>[0];

const styles: Readonly<Record<Speaker, Style>> = {
  office: 'bold',
  capture: 'yellow',
  retry: 'green',
  replay: 'cyan',
  console: 'magenta',
  maintain: 'blue',
  shop: 'blue',
};
const speakerWidth = 9;
const indent = ' '.repeat('hh:mm:ss  '.length + speakerWidth);

/** Writes to stdout, in colour where a person reads it and did not ask for none (NO_COLOR). */
export function openTerminal(stdout: NodeJS.WriteStream): Terminal {
  // A reader that went away, such as `head`, is no reason to close the office.
  stdout.on('error', () => {});
  const paint = (style: Style, text: string) => styleText(style, text, { stream: stdout });
  let isAfterBlock = false;
  const print = (text: string) => {
    stdout.write(`${text}\n`);
    isAfterBlock = false;
  };
  return {
    print,
    printBlock: (text) => {
      print(`${isAfterBlock ? '' : '\n'}${text}\n`);
      isAfterBlock = true;
    },
    say: (speaker, text) => {
      const name = paint(styles[speaker], speaker.padEnd(speakerWidth));
      print(`${paint('dim', tellTime(new Date()))}  ${name}${text.replaceAll('\n', `\n${indent}`)}`);
    },
  };
}

function tellTime(now: Date): string {
  return [now.getHours(), now.getMinutes(), now.getSeconds()]
    .map((n) => String(n).padStart(2, '0'))
    .join(':');
}
