import { getReason } from '../act.ts';
import type { RunDetail } from '../api/answers.ts';
import type { Command } from '../command.ts';
import { watchRun } from '../watch-run.ts';

export const watchCommand: Command = {
  name: 'watch',
  operation: 'showRun',
  summary: 'Watch a replay until it ends or pauses',
  description: 'Ctrl-C ends the watching, not the replay.',
  arguments: [{ name: '<run>', field: 'id' }],
  examples: ['dlo watch 7', 'dlo watch 7 | jq .progress'],
  run: (context, { values: { id } }) => watchRun(context, String(id)),
};

export const probeCommand: Command = {
  name: 'probe',
  operation: 'probeTarget',
  arguments: [{ name: '<target>', field: 'target', text: 'The URL or topic of the target.' }],
  options: ['reason'],
  examples: ["dlo probe https://billing.example/orders --reason 'is it back?'"],
  run: async (context, { values }) => {
    const reason = await getReason(context.terminal, values.reason);
    const { id } = await context.api.call<RunDetail>('probeTarget', { ...values, reason });
    return watchRun(context, id);
  },
};
