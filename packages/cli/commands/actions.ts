import { countOf, formatNumber } from '../../../shared/count-of.ts';
import type { ActionResult, RunDetail, Target } from '../api/answers.ts';
import type { Command } from '../command.ts';
import { codeOf } from '../exit-codes.ts';
import { confirm, getReason, yesOption } from '../terminal/questions.ts';
import { watchRun } from '../watch-run.ts';

type Action<Answer> = Omit<Command, 'own' | 'run'> & {
  /** Asked beforehand, unless `--yes` answers it. */
  readonly question?: string;
  /** Says in a sentence what was done. */
  readonly describe: (answer: Answer) => string;
  readonly isPartial?: (answer: Answer) => boolean;
};

/** A command that runs an operation with a reason, and prints what was done, or the answer as JSON. */
function action<Answer>({
  question,
  describe,
  isPartial,
  options = [],
  ...command
}: Action<Answer>): Command {
  return {
    ...command,
    options: ['reason', ...options],
    own: question ? [yesOption] : [],
    run: async ({ api, terminal }, { values, own }) => {
      if (question && !own.yes) await confirm(terminal, question);
      // A preview is not recorded.
      const reason = values.dryRun ? 'preview' : await getReason(terminal, values.reason);
      const answer = await api.call<Answer>(command.operation, { ...values, reason });
      if (terminal.isText) terminal.print(describe(answer));
      else terminal.printJson(answer);
      return isPartial?.(answer) ? codeOf('partial') : codeOf('done');
    },
  };
}

const changeRun = (name: string, past: string): Command =>
  action<RunDetail>({
    name,
    operation: `${name}Run`,
    arguments: [{ name: '<run>', field: 'id' }],
    examples: [`dlo ${name} 7 --reason 'payments answer again'`],
    describe: ({ id }) => `Replay ${id} is ${past}.`,
  });

export const pauseCommand = changeRun('pause', 'paused');
export const cancelCommand = changeRun('cancel', 'cancelled');
const resume = changeRun('resume', 'resumed');

export const resumeCommand: Command = {
  ...resume,
  run: async (context, input) => {
    await resume.run(context, input);
    return context.terminal.isText ? watchRun(context, String(input.values.id)) : undefined;
  },
};

const targetArgument = { name: '<target>', field: 'target', text: 'The URL or topic of the target.' };

export const holdCommand = action<Target>({
  name: 'hold',
  operation: 'holdTarget',
  arguments: [targetArgument],
  options: ['until'],
  examples: ["dlo hold https://billing.example/orders --reason 'deployment' --until 2h"],
  describe: ({ target }) => `${target} is held. Release it again: dlo release ${target}`,
});

export const releaseCommand = action<Target>({
  name: 'release',
  operation: 'releaseTarget',
  arguments: [targetArgument],
  examples: ["dlo release https://billing.example/orders --reason 'deployed'"],
  describe: ({ target, waiting }) => `${target} is released: ${formatNumber(waiting)} waiting.`,
});

export const probeCommand: Command = {
  name: 'probe',
  operation: 'probeTarget',
  arguments: [targetArgument],
  options: ['reason'],
  examples: ["dlo probe https://billing.example/orders --reason 'is it back?'"],
  run: async (context, { values }) => {
    const reason = await getReason(context.terminal, values.reason);
    const { id } = await context.api.call<RunDetail>('probeTarget', { ...values, reason });
    return watchRun(context, id);
  },
};

export const stopCommand = action<{ auditId: string }>({
  name: 'stop',
  operation: 'stop',
  options: ['until'],
  question: 'Hold every target and pause every replay?',
  examples: ["dlo stop --reason 'wrong prices since 10:00'", 'dlo undo 12'],
  describe: ({ auditId }) => `All deliveries are stopped. Start them again: dlo undo ${auditId}`,
});

export const undoCommand = action<ActionResult>({
  name: 'undo',
  operation: 'undoAction',
  arguments: [{ name: '<action>', field: 'id' }],
  options: ['dryRun'],
  examples: ["dlo undo 12 --reason 'prices are right again'", 'dlo undo 12 --dry-run'],
  isPartial: ({ dryRun, remaining, kept }) => !dryRun && (remaining > 0 || Object.keys(kept).length > 0),
  describe: describeUndo,
});

function describeUndo({ dryRun, changed, remaining, kept }: ActionResult): string {
  const left = Object.entries(kept).map(([reason, events]) => `${formatNumber(events)} ${reason}`);
  const isNothing = changed === 0 && left.length > 0;
  const done = isNothing
    ? 'Nothing was undone'
    : `Undone${changed > 0 ? `: ${countOf(changed, 'event')}` : ''}`;
  const toDo = `To be undone: ${countOf(remaining, 'event')}.`;
  return [
    dryRun ? toDo : `${done}.`,
    ...(!dryRun && remaining > 0 ? [`${toDo} Run the command again.`] : []),
    ...(left.length > 0 ? [`Left as they are: ${left.join(', ')}.`] : []),
  ].join(' ');
}
