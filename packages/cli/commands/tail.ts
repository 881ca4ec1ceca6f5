import { followEvents } from '../api/follow-events.ts';
import type { Command } from '../command.ts';
import { cut, toLine } from '../terminal/table.ts';
import { describeReason } from './events.ts';

export const tailCommand: Command = {
  name: 'tail',
  operation: 'listEvents',
  summary: 'Print events as they are captured',
  description: 'Begins with the latest ten. Ctrl-C ends it.',
  arguments: [{ name: '[filter]', field: 'q' }],
  examples: ['dlo tail', "dlo tail 'type:order.*'", 'dlo tail | jq -r .errorReason'],
  run: async ({ api, terminal, signal }, { values: { q } }) => {
    for await (const event of followEvents(api, { q, last: 10, signal })) {
      if (!terminal.isText) {
        terminal.printJson(event);
        continue;
      }
      const time = new Date(event.capturedAt).toTimeString().slice(0, 8);
      const head = `${time}  ${event.id}  ${toLine(event.eventType)}  `;
      terminal.print(head, ['dim', cut(toLine(describeReason(event)), terminal.width - head.length)]);
    }
    return undefined;
  },
};
