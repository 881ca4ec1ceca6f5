import { act } from '../act.ts';
import type { RunDetail } from '../api/answers.ts';
import type { Command } from '../command.ts';
import { watchRun } from '../watch-run.ts';

const changeRun = (name: 'pause' | 'resume' | 'cancel', past: string): Command => ({
  name,
  operation: `${name}Run`,
  arguments: [{ name: '<run>', field: 'id' }],
  options: ['reason'],
  examples: [`dlo ${name} 7 --reason 'payments answer again'`],
  run: async (context, input) => {
    await act<RunDetail>(context, input, {
      operation: `${name}Run`,
      describe: ({ id }) => `Replay ${id} is ${past}.`,
    });
    return name === 'resume' && context.terminal.isText
      ? watchRun(context, String(input.values.id))
      : undefined;
  },
});

/** `pause`, `resume` and `cancel`. */
export const changeRunCommands: readonly Command[] = [
  changeRun('pause', 'paused'),
  changeRun('resume', 'resumed'),
  changeRun('cancel', 'cancelled'),
];
