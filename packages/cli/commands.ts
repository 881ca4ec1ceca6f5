import type { Command } from './command.ts';
import {
  cancelCommand,
  holdCommand,
  pauseCommand,
  probeCommand,
  releaseCommand,
  resumeCommand,
  stopCommand,
  undoCommand,
} from './commands/actions.ts';
import { errorsCommand } from './commands/errors.ts';
import { eventsCommand } from './commands/events.ts';
import { exportCommand } from './commands/export.ts';
import { importCommand } from './commands/import.ts';
import { listenCommand } from './commands/listen.ts';
import { openCommand } from './commands/open.ts';
import { replayCommand } from './commands/replay.ts';
import { runsCommand } from './commands/runs.ts';
import { showCommand } from './commands/show.ts';
import { tailCommand } from './commands/tail.ts';
import { targetsCommand } from './commands/targets.ts';
import { watchCommand } from './commands/watch.ts';

/** The commands, in the order of the help. */
export const commands: readonly Command[] = [
  errorsCommand,
  eventsCommand,
  showCommand,
  tailCommand,
  replayCommand,
  runsCommand,
  watchCommand,
  pauseCommand,
  resumeCommand,
  cancelCommand,
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
