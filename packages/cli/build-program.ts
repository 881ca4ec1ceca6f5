import tab from '@bomb.sh/tab/commander';
import { Command as Program, Argument as ProgramArgument } from 'commander';
import { findOperation, type Operation, type Operations } from './api/operations.ts';
import type { Command, Input } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { toOption } from './options.ts';

/** The options of every command. */
export type GlobalOptions = { readonly url?: string; readonly stack?: string; readonly json?: boolean };

/** The API that the command line was built with. */
type Api = { readonly operations: Operations; readonly version: string };

type Run = (command: Command, input: Input, options: GlobalOptions) => Promise<void>;

const footer = `Without --url and --stack it works with the one on port 8080 of this machine,
which npm start or npx dead-letter-office runs. On a pipe it prints JSON.

Exit codes:${Object.values(exitCodes)
  .map(([code, meaning]) => `\n  ${String(code).padEnd(3)}  ${meaning}`)
  .join('')}
`;

/** The command line of `dlo`: its commands, with the texts of the operations of the API. */
export function buildProgram({ operations, version }: Api, commands: readonly Command[], run: Run): Program {
  const program = new Program('dlo')
    .description('Finds out why events failed, and replays them.')
    .version(version, '-V, --version', 'Prints the version.')
    .helpOption('-h, --help', 'Prints help.')
    .helpCommand('help [command]', 'Print the help of a command')
    .option('--url <address>', 'Address of the replay function; or the variable DLO_URL.')
    .option('--stack <name>', 'A deployment of the configuration file; or the variable DLO_STACK.')
    .option('--json', 'Prints lines of JSON; the default on a pipe.')
    .option('--no-json', 'Prints text, also on a pipe.')
    .addHelpText('after', `\n${footer}`)
    .showSuggestionAfterError()
    .exitOverride()
    .configureHelp({ showGlobalOptions: true });
  for (const command of commands) addCommand(program, { command, operations, run });
  tab(program);
  return program;
}

type Addition = { readonly command: Command; readonly operations: Operations; readonly run: Run };

function addCommand(program: Program, { command, operations, run }: Addition): void {
  const operation = findOperation(operations, command.operation);
  const { summary = operation.summary, description = operation.description, examples } = command;
  const added = program
    .command(command.name)
    .helpOption('-h, --help', 'Prints help.')
    .summary(summary)
    .description([summary, description].filter(Boolean).join('. '))
    .addHelpText('after', `\nExamples:\n${examples.map((each) => `  ${each}`).join('\n')}\n`);
  for (const { name, field, text } of command.arguments ?? []) {
    const described = text ?? operation.fields.find((each) => each.name === field)?.description ?? '';
    added.addArgument(new ProgramArgument(name, described));
  }
  for (const name of command.options ?? []) added.addOption(toOption(findField(operation, name)));
  for (const { flags, text } of command.own ?? []) added.option(flags, text);
  added.action(() => run(command, readInput(command, added), program.opts()));
}

function findField({ fields, path }: Operation, name: string) {
  const field = fields.find((each) => each.name === name);
  if (!field) throw new Error(`The operation at ${path} has no field ${name}.`);
  return field;
}

function readInput({ arguments: expected = [], options = [] }: Command, parsed: Program): Input {
  const values: Record<string, unknown> = {};
  const own: Record<string, string | boolean | undefined> = {};
  expected.forEach(({ name, field }, i) => {
    const value: unknown = parsed.processedArgs[i];
    if (field !== undefined) values[field] = value;
    else own[name.replaceAll(/\W/g, '')] = value as string | undefined;
  });
  for (const [name, value] of Object.entries(parsed.opts())) {
    if (options.includes(name)) values[name] = value;
    else own[name] = value as string | boolean | undefined;
  }
  return { values, own };
}
