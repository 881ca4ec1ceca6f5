// A program for a process of its own, which trusts the stand-in of Google: checks a stack, and prints the problems and warnings.
import { checkStack } from '../../infra/check-stack.ts';
import { ConfigError } from '../../shared/errors.ts';

const { stack, isPreview } = JSON.parse(process.argv[2] ?? '');
try {
  const { warnings } = await checkStack(stack, isPreview);
  console.log(JSON.stringify({ problems: [], warnings }));
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.log(JSON.stringify({ problems: error.problems, warnings: [] }));
}
