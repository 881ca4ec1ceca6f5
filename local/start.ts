import { OfficeError } from '../shared/errors.ts';
import { awaitEnding } from './ending.ts';
import { runOffice } from './office.ts';
import { readSettings } from './settings.ts';
import { openTerminal } from './terminal/terminal.ts';

// `npm start`: the whole office on this machine, until Ctrl-C.
try {
  const settings = readSettings(process.env);
  await runOffice(settings, openTerminal(process.stdout), awaitEnding());
  process.exit(0);
} catch (error) {
  console.error(error instanceof OfficeError ? error.message : error);
  process.exit(1);
}
