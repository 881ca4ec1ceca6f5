import { DeadLetterError } from '../../shared/errors.ts';
import { describeError } from '../describe-error.ts';
import { runAdopt } from './adopt-command.ts';

// `npm run adopt`.
try {
  process.exitCode = await runAdopt(process.env, process.argv.slice(2), console.log);
} catch (error) {
  const isOurs = error instanceof DeadLetterError;
  const advice = 'The adoption stopped. No row is lost: run the same command again to continue.';
  console.error(isOurs ? error.message : `${advice} ${describeError(error)}`);
  process.exitCode = 1;
}
