import { DeadLetterError } from '../shared/errors.ts';
import { runService } from './run-service.ts';
import { readSettings } from './settings.ts';
import { watchForShutdown } from './shutdown.ts';
import { openTerminal } from './terminal/terminal.ts';

// `npm start`: the complete service on this machine, until Ctrl-C.
try {
  const settings = readSettings(process.env);
  await runService(settings, openTerminal(process.stdout), watchForShutdown());
  process.exit(0);
} catch (error) {
  console.error(error instanceof DeadLetterError ? error.message : error);
  process.exit(1);
}
