import { progress } from '@clack/prompts';
import { codeOf } from '../exit-codes.ts';
import { cut } from './table.ts';
import { type Terminal, toPrintable } from './terminal.ts';

/** A bar on stderr. */
export type Progress = {
  /** Sets how far it is, and the text beside it. */
  readonly show: (done: number, text: string) => void;
  readonly end: (text: string) => void;
};

type Shown = {
  readonly max: number;
  readonly text: string;
  /** Printed if the user presses Ctrl-C: what goes on all the same. */
  readonly interrupted: string;
};

const size = 20;

/** Shows a bar; without a terminal only its last text is printed. */
export function showProgress({ stderr, isInteractive, note }: Terminal, shown: Shown): Progress {
  if (!isInteractive) return { show: () => {}, end: note };
  const { max, text, interrupted: cancelMessage } = shown;
  // The bar breaks a longer line, and then draws it over and over.
  const fit = (said: string) => cut(toPrintable(said), (stderr.columns ?? 80) - size - 8);
  const bar = progress({ max, size, output: stderr, cancelMessage, withGuide: false });
  // The bar ends the process with 0 on Ctrl-C.
  const fail = () => {
    process.exitCode = codeOf('interrupted');
  };
  process.once('exit', fail);
  bar.start(fit(text));
  let before = 0;
  return {
    show: (done, said) => {
      bar.advance(done - before, fit(said));
      before = done;
    },
    end: (said) => {
      process.off('exit', fail);
      bar.stop(toPrintable(said));
    },
  };
}
