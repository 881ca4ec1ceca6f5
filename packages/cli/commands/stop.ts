import { countOf } from '../../../shared/count-of.ts';
import { act } from '../act.ts';
import type { Command } from '../command.ts';
import { confirm } from '../terminal/questions.ts';

/** The option that answers a question beforehand. */
export const yesOption = { flags: '--yes', text: 'Asks no question.' };

export const stopCommand: Command = {
  name: 'stop',
  operation: 'stop',
  options: ['reason', 'until'],
  own: [yesOption],
  examples: ["dlo stop --reason 'wrong prices since 10:00'", 'dlo undo 12'],
  run: async (context, input) => {
    if (!input.own.yes) await confirm(context.terminal, 'Hold every target and pause every replay?');
    return act<{ auditId: string }>(context, input, {
      operation: 'stop',
      describe: ({ auditId }) => `All deliveries are stopped. Start them again: dlo undo ${auditId}`,
    });
  },
};

export const undoCommand: Command = {
  name: 'undo',
  operation: 'undoAction',
  arguments: [{ name: '<action>', field: 'id' }],
  options: ['reason'],
  examples: ["dlo undo 12 --reason 'prices are right again'"],
  run: (context, input) =>
    act<{ changed: number }>(context, input, {
      operation: 'undoAction',
      describe: ({ changed }) => (changed > 0 ? `Undone: ${countOf(changed, 'event')}.` : 'Undone.'),
    }),
};
