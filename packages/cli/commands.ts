import type { Command } from './command.ts';
import { changeRunCommands } from './commands/change-run.ts';
import { errorsCommand } from './commands/errors.ts';
import { eventsCommand } from './commands/events.ts';
import { exportCommand } from './commands/export.ts';
import { importCommand } from './commands/import.ts';
import { listenCommand } from './commands/listen.ts';
import { openCommand } from './commands/open.ts';
import { replayCommand } from './commands/replay.ts';
import { runsCommand } from './commands/runs.ts';
import { showCommand } from './commands/show.ts';
import { stopCommand, undoCommand } from './commands/stop.ts';
import { tailCommand } from './commands/tail.ts';
import { holdCommand, releaseCommand, targetsCommand } from './commands/targets.ts';
import { probeCommand, watchCommand } from './commands/watch.ts';

/** The commands, in the order of the help. */
export const commands: readonly Command[] = [
  errorsCommand,
  eventsCommand,
  showCommand,
  tailCommand,
  replayCommand,
  runsCommand,
  watchCommand,
  ...changeRunCommands,
  targetsCommand,
  holdCommand,
  releaseCommand,
  probeCommand,
  stopCommand,
  undoCommand,
  exportCommand,
  importCommand,
  listenCommand,
  openCommand,
];
