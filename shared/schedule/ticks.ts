import * as v from 'valibot';
import { statement } from '../database/statement.ts';
import { count, described, text, textOrNull, time, timeOrNull } from '../response-values.ts';

const TallySchema = v.record(v.string(), count);

export const TickSchema = v.strictObject({
  id: text,
  startedAt: time,
  endedAt: timeOrNull,
  stopped: described(textOrNull, 'Why it ended, such as `nothing due` or `time budget spent`.'),
  tally: described(TallySchema, 'Events by what happened to them, such as `claimed` and `delivered`.'),
  targets: described(v.record(v.string(), TallySchema), 'The same by target.'),
});

export type Tick = Readonly<v.InferOutput<typeof TickSchema>>;

export const listTicks = statement<{ before: string; limit: number }, Tick>('list-ticks');

export const listBusyTicks = statement<{ before: string; limit: number }, Tick>('list-busy-ticks');
