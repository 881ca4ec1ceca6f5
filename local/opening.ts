import type { Ending } from './ending.ts';
import type { Settings } from './settings.ts';
import type { Activity } from './terminal/activity.ts';
import type { Speaker, Terminal } from './terminal/terminal.ts';

/** What every step of the opening goes by. What it opens it hands to `closing`, which closes in reverse order. */
export type Opening = {
  readonly settings: Settings;
  readonly terminal: Terminal;
  readonly activity: Activity;
  readonly say: (speaker: Speaker) => (text: string) => void;
  readonly ending: Ending;
  readonly closing: AsyncDisposableStack;
};
