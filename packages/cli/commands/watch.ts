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
