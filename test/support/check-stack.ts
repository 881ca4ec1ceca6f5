// A program for a process of its own, which trusts the stand-in of Google: checks each stack that it
// receives, with the variables of the deployer, and sends the problems and warnings.
import { checkStack } from '../../infra/check-stack.ts';
import type { StackConfig } from '../../infra/read-settings.ts';
import { ConfigError, type Problem } from '../../shared/errors.ts';

export type Check = {
  readonly stack: StackConfig;
  readonly isPreview: boolean;
  readonly env: Record<string, string>;
};

export type Checked = { readonly problems: readonly Problem[]; readonly warnings: readonly string[] };

const inherited = { ...process.env };
process.on('message', async ({ stack, isPreview, env }: Check) => {
  process.env = { ...inherited, ...env };
  try {
    const { warnings } = await checkStack(stack, isPreview);
    process.send?.({ problems: [], warnings });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.send?.({ problems: error.problems, warnings: [] });
  }
});
