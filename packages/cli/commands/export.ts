import { once } from 'node:events';
import type { Command } from '../command.ts';

export const exportCommand: Command = {
  name: 'export',
  operation: 'exportEvents',
  arguments: [{ name: '[filter]', field: 'q' }],
  options: ['format', 'archived'],
  examples: ['dlo export > events.ndjson', "dlo export 'failed:>7d' --format csv > events.csv"],
  run: async ({ api, terminal: { stdout }, signal }, { values }) => {
    for await (const chunk of api.stream('exportEvents', values)) {
      if (!stdout.write(chunk)) await once(stdout, 'drain', { signal });
    }
    return undefined;
  },
};
