import { styleText } from 'node:util';
import type { FunctionName } from '../../shared/config/setting.ts';

/** The source of a line; `dlo` is the service itself. */
export type Speaker = 'dlo' | FunctionName | 'shop';

export type Terminal = ReturnType<typeof openTerminal>;

type Style = Parameters<typeof styleText>[0];

const styles: Readonly<Record<Speaker, Style>> = {
  dlo: 'bold',
  capture: 'yellow',
  retry: 'green',
  replay: 'cyan',
  console: 'magenta',
  maintain: 'blue',
  shop: 'blue',
};
const speakerWidth = 9;
const indent = ' '.repeat('hh:mm:ss  '.length + speakerWidth);

/** Returns a terminal on stdout, in color unless stdout is redirected or NO_COLOR is set. */
export function openTerminal(stdout: NodeJS.WriteStream) {
  // A reader that exits, such as `head`, must not stop the service.
  stdout.on('error', () => {});
  const paint = (style: Style, text: string) => styleText(style, text, { stream: stdout });
  let isAfterBlock = false;
  const print = (text: string) => {
    stdout.write(`${text}\n`);
    isAfterBlock = false;
  };
  return {
    /** Prints a heading and the lines below it, between two empty lines; shell comments are dimmed. */
    printBlock: (text: string) => {
      const [heading = '', ...lines] = text.split('\n');
      const body = lines.map((line) => (line.startsWith('  #') ? paint('dim', line) : line));
      print(`${isAfterBlock ? '' : '\n'}${[paint('bold', heading), ...body].join('\n')}\n`);
      isAfterBlock = true;
    },
    /** Prints a text with the time and its source, and no control character that an event may have in it. */
    say: (speaker: Speaker, text: string) => {
      const name = paint(styles[speaker], speaker.padEnd(speakerWidth));
      const time = paint('dim', new Date().toTimeString().slice(0, 8));
      print(`${time}  ${name}${text.replaceAll(/[^\P{Cc}\n]/gu, ' ').replaceAll('\n', `\n${indent}`)}`);
    },
  };
}
